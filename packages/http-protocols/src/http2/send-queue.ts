import type { FrameWriter } from "./frame-writer.ts";
import { defaultFrameBytes } from "./frames.ts";

/** Unsent bytes from which on a writer should wait. */
const highWaterBytes = 32 * 1024;

/** The unsent data of one stream, within the peer's windows. */
export class SendQueue {
  readonly #streamId: number;
  /** Bytes that the peer accepts for this stream; negative after it reduced its windows. */
  windowBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #over = false;
  #drains: (() => void)[] = [];

  constructor(streamId: number, windowBytes: number) {
    this.#streamId = streamId;
    this.windowBytes = windowBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the writer should wait for `onceDrain`. */
  get isFull(): boolean {
    return this.#bytes >= highWaterBytes;
  }

  /** Whether there is something that could go out now, as far as this stream's window goes. */
  get isReady(): boolean {
    return this.#bytes > 0 ? this.windowBytes > 0 : this.#ended && !this.#over;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Ends the data of the stream. */
  end(): void {
    this.#ended = true;
  }

  onceDrain(callback: () => void): void {
    if (this.isFull && !this.#over) {
      this.#drains.push(callback);
    } else {
      process.nextTick(callback);
    }
  }

  /**
   * Sends one frame, or several chunks as one.
   * @param room bytes that the connection's window has
   * @param holdsEnd the end is sent separately, because trailers follow
   * @returns bytes of the body that were sent
   */
  sendFrame(writer: Pick<FrameWriter, "data">, room: number, holdsEnd: boolean): number {
    const limit = Math.min(room, this.windowBytes, defaultFrameBytes);
    let piece = this.#chunks[0];
    if (piece === undefined || limit <= 0) {
      return 0;
    }
    if (piece.length <= limit) {
      this.#chunks.shift();
    } else {
      this.#chunks[0] = piece.subarray(limit);
      piece = piece.subarray(0, limit);
    }
    this.#bytes -= piece.length;
    this.windowBytes -= piece.length;
    const isLast = this.#ended && this.#bytes === 0 && !holdsEnd;
    writer.data(this.#streamId, isLast, piece);
    this.#over ||= isLast;
    if (this.#drains.length > 0 && !this.isFull) {
      this.#drain();
    }
    return piece.length;
  }

  /** Whether the end is all that is left to send. */
  get isAtEnd(): boolean {
    return this.#ended && this.#bytes === 0;
  }

  /** Whether the frame with the end went out. */
  get isOver(): boolean {
    return this.#over;
  }

  /** The end went out, in a frame of its own. */
  endSent(): void {
    this.#over = true;
  }

  /** Drops the unsent data. */
  drop(): void {
    this.#over = true;
    this.#chunks = [];
    this.#bytes = 0;
    this.#drains = [];
  }

  #drain(): void {
    const drains = this.#drains;
    this.#drains = [];
    for (const drain of drains) {
      process.nextTick(drain);
    }
  }
}
