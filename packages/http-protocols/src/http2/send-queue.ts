import type { FrameWriter } from "./frame-writer.ts";
import { defaultFrameBytes } from "./frames.ts";

/** Number of unsent bytes from which on a writer should wait. */
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

  /** True when the writer should wait for `onceDrain`. */
  get isFull(): boolean {
    return this.#bytes >= highWaterBytes;
  }

  /** True when this stream has something to send and its window allows it. */
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
   * Sends one frame with the first chunk, or with a part of it.
   * @param room number of bytes that the connection's window allows
   * @param holdsEnd true: the end is sent separately, because trailers follow
   * @returns number of sent bytes of the body
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

  /** True when only the end is left to send. */
  get isAtEnd(): boolean {
    return this.#ended && this.#bytes === 0;
  }

  /** True when the frame with the end was sent. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Called when the end was sent in a separate frame. */
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
