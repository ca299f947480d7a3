import {
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrame,
  encodeFrameHeader,
  errorCodes,
  frameFlags,
  frameTypes,
  maxWindowBytes,
} from "../http2/frames.ts";
import { Http2Error } from "../http2/http2-error.ts";

/** A body that waits for a larger window of the peer. */
interface WaitingBody {
  /**
   * Bytes that the peer still accepts on this stream; negative after SETTINGS with a smaller window. RFC 9113, section
   * 6.9.2
   */
  windowBytes: number;
  /** The whole body. */
  readonly bytes: Buffer;
  /** Number of bytes of the body that were sent. */
  sentBytes: number;
  /** Encoded header block that ends the stream after the body; undefined when the body ends it. */
  readonly trailers: Buffer | undefined;
}

/**
 * Sends bodies of requests or answers within the windows of flow control that the peer grants.
 * Source: RFC 9113, section 5.2
 */
export class SendWindow {
  readonly #write: (bytes: Buffer) => void;
  readonly #frameSent: () => void;
  #connectionBytes = defaultWindowBytes;
  #initialBytes = defaultWindowBytes;
  #maxFrameBytes = defaultFrameBytes;
  /** Bytes that the peer granted to open streams beyond the initial window. */
  readonly #granted = new Map<number, number>();
  readonly #waiting = new Map<number, WaitingBody>();

  /**
   * @param write writes complete frames, some in two pieces; data given to `send` is not copied
   * @param frameSent called for each DATA frame
   */
  constructor(write: (bytes: Buffer) => void, frameSent: () => void = () => {}) {
    this.#write = write;
    this.#frameSent = frameSent;
  }

  /** Number of waiting bodies. */
  get size(): number {
    return this.#waiting.size;
  }

  /** True while a body of this stream, or a part of it, is unsent. */
  has(streamId: number): boolean {
    return this.#waiting.has(streamId);
  }

  /**
   * Sends a body as soon as the windows allow, and ends the stream.
   * @param bytes must not be changed any more
   * @param trailers a header block. Without `trailers`, the last DATA frame ends the stream, so `bytes` must not be
   * empty
   */
  send(streamId: number, bytes: Buffer, trailers?: Buffer): void {
    const windowBytes = this.#initialBytes + (this.#granted.get(streamId) ?? 0);
    const body = { windowBytes, bytes, sentBytes: 0, trailers };
    this.#waiting.set(streamId, body);
    this.#flush(streamId, body);
  }

  /** Sends nothing more on this stream. */
  drop(streamId: number): void {
    this.#waiting.delete(streamId);
    this.#granted.delete(streamId);
  }

  /** @throws Http2Error FLOW_CONTROL_ERROR */
  grantConnection(bytes: number): void {
    this.#connectionBytes += bytes;
    if (this.#connectionBytes > maxWindowBytes) {
      throw windowError();
    }
    this.#flushAll();
  }

  /** @returns false when the stream's window becomes too large, which is an error of the stream */
  grantStream(streamId: number, bytes: number): boolean {
    const body = this.#waiting.get(streamId);
    if (body === undefined) {
      const granted = (this.#granted.get(streamId) ?? 0) + bytes;
      this.#granted.set(streamId, granted);
      return this.#initialBytes + granted <= maxWindowBytes;
    }
    body.windowBytes += bytes;
    if (body.windowBytes > maxWindowBytes) {
      return false;
    }
    this.#flush(streamId, body);
    return true;
  }

  /** Applies a new SETTINGS_INITIAL_WINDOW_SIZE, at most `maxWindowBytes`. @throws Http2Error FLOW_CONTROL_ERROR */
  setInitial(bytes: number): void {
    for (const body of this.#waiting.values()) {
      body.windowBytes += bytes - this.#initialBytes;
      if (body.windowBytes > maxWindowBytes) {
        throw windowError();
      }
    }
    this.#initialBytes = bytes;
    this.#flushAll();
  }

  /** Applies a new SETTINGS_MAX_FRAME_SIZE: later frames have at most this many bytes. */
  setMaxFrame(bytes: number): void {
    this.#maxFrameBytes = bytes;
  }

  #flushAll(): void {
    for (const [streamId, body] of this.#waiting) {
      this.#flush(streamId, body);
    }
  }

  #flush(streamId: number, body: WaitingBody): void {
    const { bytes, trailers } = body;
    while (body.sentBytes < bytes.length) {
      const room = Math.min(body.windowBytes, this.#connectionBytes, this.#maxFrameBytes);
      if (room <= 0) {
        return;
      }
      const piece = bytes.subarray(body.sentBytes, body.sentBytes + room);
      body.sentBytes += piece.length;
      body.windowBytes -= piece.length;
      this.#connectionBytes -= piece.length;
      const isLast = trailers === undefined && body.sentBytes === bytes.length;
      const flags = isLast ? frameFlags.endStream : 0;
      this.#write(encodeFrameHeader(piece.length, frameTypes.data, flags, streamId));
      this.#write(piece);
      this.#frameSent();
    }
    if (trailers !== undefined) {
      const lastFlags = frameFlags.endHeaders | frameFlags.endStream;
      this.#write(encodeFrame(frameTypes.headers, lastFlags, streamId, trailers));
    }
    this.drop(streamId);
  }
}

function windowError(): Http2Error {
  return new Http2Error(errorCodes.flowControlError, "a window is over 2^31 - 1");
}
