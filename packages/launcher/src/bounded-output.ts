import type { Writable } from "node:stream";

/**
 * Default limit of buffered bytes, enough for a busy minute. The buffer is limited, because a paused terminal or an
 * unread pipe may block for days.
 */
const defaultMaxBytes = 4 * 1024 * 1024;

/**
 * An output stream whose reader may pause. Lines are buffered up to a limit; lines beyond it are dropped and counted.
 */
export class BoundedOutput {
  readonly #stream: Writable;
  readonly #maxBytes: number;
  #leftOut = 0;

  constructor(stream: Writable, maxBytes = defaultMaxBytes) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
  }

  /** Writes a text, or drops it when the reader is too slow. */
  write(text: string): void {
    // When the buffer is empty, even a line longer than the limit is written.
    const waiting = this.#stream.writableLength;
    if (waiting > 0 && waiting + Buffer.byteLength(text) > this.#maxBytes) {
      this.#leftOut += 1;
      return;
    }
    if (this.#leftOut > 0) {
      this.#stream.write(`${this.#leftOut} lines were left out: this output was not read in time\n`);
      this.#leftOut = 0;
    }
    this.#stream.write(text);
  }
}
