import type { Writable } from "node:stream";

/** Limit of buffered output, enough for a busy minute: a paused terminal or an unread pipe may block for days. */
const defaultMaxBytes = 4 * 1024 * 1024;

/** An output whose reader may pause: lines wait up to a limit, past it they are left out and counted. */
export class BoundedOutput {
  readonly #stream: Writable;
  readonly #maxBytes: number;
  #leftOut = 0;

  constructor(stream: Writable, maxBytes = defaultMaxBytes) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
  }

  /** Writes a text, or leaves it out when the reader is too far behind. */
  write(text: string): void {
    // A line that is longer than the limit is written too, once nothing waits.
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
