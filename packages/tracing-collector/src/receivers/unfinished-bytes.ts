/**
 * Counts the bytes of requests that are under way, of all listeners and connections together: one object for a collector,
 * so that its limit is that of the process.
 */
export class UnfinishedBytes {
  readonly maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Bytes under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so many more are within the limit. */
  hasRoom(count: number): boolean {
    return this.#bytes + count <= this.maxBytes;
  }

  /** Counts so many more, whether or not there is room: whoever has them gives them back. @returns whether there was */
  take(count: number): boolean {
    this.#bytes += count;
    return this.#bytes <= this.maxBytes;
  }

  give(count: number): void {
    this.#bytes -= count;
  }
}
