import { defaultFrameBytes, errorCodes, frameHeaderBytes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

/**
 * Receives complete frames. The payload is a view that is valid only during the call, unless the reader keeps payloads.
 */
export interface FrameSink {
  /** Takes a complete frame. The next read may overwrite the payload. */
  frame(type: number, flags: number, streamId: number, payload: Buffer): void;
}

/**
 * Splits received bytes into frames. A frame within one chunk is not copied. The first frame that spans several chunks
 * allocates memory, which all later frames of this kind use. Source: RFC 9113, sections 3.4 and 4.1
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #preface: Buffer;
  readonly #keepsPayloads: boolean;
  #prefaceBytes = 0;
  /** The beginning of an incomplete frame. */
  #partial: Buffer | undefined;
  #partialBytes = 0;
  #partialSince = 0;

  /**
   * @param preface bytes that must precede the first frame: `clientPreface` for a server, empty for a client
   * @param keepsPayloads true: payloads stay valid after the call. A frame in two chunks then gets its own memory, and
   * the chunks must not change
   */
  constructor(sink: FrameSink, preface: Buffer = nothing, keepsPayloads = false) {
    this.#sink = sink;
    this.#preface = preface;
    this.#keepsPayloads = keepsPayloads;
  }

  /** Start time of the incomplete frame, on the clock of `performance.now()`; 0: no frame is incomplete. */
  get incompleteSince(): number {
    return this.#partialBytes > 0 ? this.#partialSince : 0;
  }

  /** @throws Http2Error PROTOCOL_ERROR for a wrong preface, FRAME_SIZE_ERROR; any error of the sink */
  push(chunk: Buffer): void {
    let at = this.#prefaceBytes === this.#preface.length ? 0 : this.#checkPreface(chunk);
    while (at < chunk.length) {
      if (this.#partial !== undefined && this.#partialBytes > 0) {
        at = this.#complete(this.#partial, chunk, at);
        continue;
      }
      const end = at + frameHeaderBytes <= chunk.length ? frameEnd(chunk, at) : Number.POSITIVE_INFINITY;
      if (end > chunk.length) {
        this.#partial ??= Buffer.allocUnsafeSlow(frameHeaderBytes + defaultFrameBytes);
        this.#partialBytes = chunk.copy(this.#partial, 0, at);
        this.#partialSince = performance.now();
        return;
      }
      this.#deliver(chunk, at, end);
      at = end;
    }
  }

  /** @returns index of the first byte after the preface */
  #checkPreface(chunk: Buffer): number {
    const length = Math.min(chunk.length, this.#preface.length - this.#prefaceBytes);
    const start = this.#prefaceBytes;
    if (this.#preface.compare(chunk, 0, length, start, start + length) !== 0) {
      throw new Http2Error(errorCodes.protocolError, "the connection does not begin with HTTP/2");
    }
    this.#prefaceBytes += length;
    return length;
  }

  /** Extends the partial frame, and delivers it when it is complete. @returns index of the first byte after it */
  #complete(partial: Buffer, chunk: Buffer, start: number): number {
    let at = start;
    if (this.#partialBytes < frameHeaderBytes) {
      at += this.#take(partial, chunk, at, frameHeaderBytes);
      if (this.#partialBytes < frameHeaderBytes) {
        return at;
      }
    }
    const end = frameEnd(partial, 0);
    at += this.#take(partial, chunk, at, end);
    if (this.#partialBytes === end) {
      this.#partialBytes = 0;
      if (this.#keepsPayloads) {
        this.#partial = undefined;
      }
      this.#deliver(partial, 0, end);
    }
    return at;
  }

  #take(partial: Buffer, chunk: Buffer, at: number, wanted: number): number {
    const copied = chunk.copy(partial, this.#partialBytes, at, at + wanted - this.#partialBytes);
    this.#partialBytes += copied;
    return copied;
  }

  #deliver(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start + 3] as number;
    const flags = bytes[start + 4] as number;
    const streamId = bytes.readUInt32BE(start + 5) & 0x7fff_ffff;
    this.#sink.frame(type, flags, streamId, bytes.subarray(start + frameHeaderBytes, end));
  }
}

const nothing = Buffer.alloc(0);

/** @throws Http2Error FRAME_SIZE_ERROR: we never allow more than the default */
function frameEnd(bytes: Buffer, start: number): number {
  const length = bytes.readUIntBE(start, 3);
  if (length > defaultFrameBytes) {
    throw new Http2Error(
      errorCodes.frameSizeError,
      `frame of ${length} bytes is over the limit of ${defaultFrameBytes}`,
    );
  }
  return start + frameHeaderBytes + length;
}
