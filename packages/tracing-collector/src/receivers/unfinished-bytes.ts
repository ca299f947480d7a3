/**
 * Counts the bytes of running requests, of all listeners and connections together. A collector has one such
 * object, so its limit holds for the process.
 */
export class UnfinishedBytes {
  readonly maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Bytes of running requests. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True when `count` more bytes are within the limit. */
  hasRoom(count: number): boolean {
    return this.#bytes + count <= this.maxBytes;
  }

  /**
   * Adds `count` bytes, even past the limit; the caller must return them. @returns true when they are within
   * the limit
   */
  take(count: number): boolean {
    this.#bytes += count;
    return this.#bytes <= this.maxBytes;
  }

  give(count: number): void {
    this.#bytes -= count;
  }
}
