/**
 * A rate of bytes, as a token bucket that refills continuously. A reader takes bytes before it reads them.
 * Bytes taken beyond the level are owed, and the reader waits until the bucket has them. Several readers may
 * share one rate.
 */
export class ByteRate {
  /** Capacity of the bucket in bytes: the largest read after a pause. */
  readonly burst: number;
  readonly #bytesPerMs: number;
  readonly #now: () => number;
  /** Bytes in the bucket at the time `#at`; negative during a debt. */
  #level: number;
  #at: number;

  /**
   * @param now clock in milliseconds; tests pass their own
   * @param burst capacity of the bucket in bytes; at least 1
   */
  constructor(bytesPerSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.burst = burst;
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#now = now;
    this.#level = burst;
    this.#at = now();
  }

  /** Takes bytes from the bucket. @returns milliseconds to wait before reading them; 0 for no wait */
  take(bytes: number): number {
    const now = this.#now();
    this.#level = Math.min(this.burst, this.#level + (now - this.#at) * this.#bytesPerMs);
    this.#at = now;
    this.#level -= bytes;
    return this.#level >= 0 ? 0 : -this.#level / this.#bytesPerMs;
  }
}
