/**
 * Counts the bytes of running requests over all listeners and connections. A collector has one such object, so the
 * limit applies to the process.
 */
export class UnfinishedBytes {
  readonly maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Bytes of all running requests together. */
  get bytes(): number {
    return this.#bytes;
  }

  hasRoom(count: number): boolean {
    return this.#bytes + count <= this.maxBytes;
  }

  /**
   * Adds `count` bytes, even above the limit; the caller must return them later. @returns true when the sum is within
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
