/** A rate of bytes, as a bucket that fills up. Bytes that are taken beyond it are owed. */
export class ByteRate {
  readonly burst: number;
  readonly #bytesPerMs: number;
  readonly #now: () => number;
  #level: number;
  #at: number;

  /** @param burst bytes that may be taken at once; at least 1 */
  constructor(bytesPerSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.burst = burst;
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#now = now;
    this.#level = burst;
    this.#at = now();
  }

  /** Takes bytes. @returns how long to wait before they may be read, in milliseconds */
  take(bytes: number): number {
    const now = this.#now();
    this.#level = Math.min(this.burst, this.#level + (now - this.#at) * this.#bytesPerMs);
    this.#at = now;
    this.#level -= bytes;
    return this.#level >= 0 ? 0 : -this.#level / this.#bytesPerMs;
  }
}
