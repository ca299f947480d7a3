import {
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrame,
  errorCodes,
  frameFlags,
  frameTypes,
  Http2Error,
  maxWindowBytes,
} from "wire/http2";

/** An answer that the client has not yet room for. */
interface WaitingAnswer {
  windowBytes: number;
  rest: Buffer;
  readonly trailers: Buffer;
}

/**
 * Sends answers within the windows of flow control that the client grants.
 * Source: RFC 9113, section 5.2
 */
export class SendWindow {
  readonly #write: (frames: Buffer) => void;
  #connectionBytes = defaultWindowBytes;
  #initialBytes = defaultWindowBytes;
  /** What clients granted to single streams beyond the initial window, while those are open. */
  readonly #granted = new Map<number, number>();
  readonly #waiting = new Map<number, WaitingAnswer>();

  constructor(write: (frames: Buffer) => void) {
    this.#write = write;
  }

  /** Answers that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether an answer of this stream still waits. */
  has(streamId: number): boolean {
    return this.#waiting.has(streamId);
  }

  /** Sends `data` as soon as it fits, then the trailers, which end the stream. */
  send(streamId: number, data: Buffer, trailers: Buffer): void {
    const windowBytes = this.#initialBytes + (this.#granted.get(streamId) ?? 0);
    const answer = { windowBytes, rest: data, trailers };
    this.#waiting.set(streamId, answer);
    this.#flush(streamId, answer);
  }

  /** Nothing more is sent on this stream. */
  drop(streamId: number): void {
    this.#waiting.delete(streamId);
    this.#granted.delete(streamId);
  }

  /** @throws Http2Error FLOW_CONTROL_ERROR */
  grantConnection(bytes: number): void {
    this.#connectionBytes += bytes;
    if (this.#connectionBytes > maxWindowBytes) throw windowError();
    this.#flushAll();
  }

  /** @returns false when the stream's window gets too large, which is the stream's error */
  grantStream(streamId: number, bytes: number): boolean {
    const answer = this.#waiting.get(streamId);
    if (answer === undefined) {
      const granted = (this.#granted.get(streamId) ?? 0) + bytes;
      this.#granted.set(streamId, granted);
      return this.#initialBytes + granted <= maxWindowBytes;
    }
    answer.windowBytes += bytes;
    if (answer.windowBytes > maxWindowBytes) return false;
    this.#flush(streamId, answer);
    return true;
  }

  /** A new SETTINGS_INITIAL_WINDOW_SIZE, at most `maxWindowBytes`. @throws Http2Error FLOW_CONTROL_ERROR */
  setInitial(bytes: number): void {
    for (const answer of this.#waiting.values()) {
      answer.windowBytes += bytes - this.#initialBytes;
      if (answer.windowBytes > maxWindowBytes) throw windowError();
    }
    this.#initialBytes = bytes;
    this.#flushAll();
  }

  #flushAll(): void {
    for (const [streamId, answer] of this.#waiting) this.#flush(streamId, answer);
  }

  #flush(streamId: number, answer: WaitingAnswer): void {
    while (answer.rest.length > 0) {
      const room = Math.min(answer.windowBytes, this.#connectionBytes, defaultFrameBytes);
      if (room <= 0) return;
      const piece = answer.rest.subarray(0, room);
      answer.rest = answer.rest.subarray(piece.length);
      answer.windowBytes -= piece.length;
      this.#connectionBytes -= piece.length;
      this.#write(encodeFrame(frameTypes.data, 0, streamId, piece));
    }
    const lastFlags = frameFlags.endHeaders | frameFlags.endStream;
    this.#write(encodeFrame(frameTypes.headers, lastFlags, streamId, answer.trailers));
    this.drop(streamId);
  }
}

function windowError(): Http2Error {
  return new Http2Error(errorCodes.flowControlError, "a window is over 2^31 - 1");
}
