/**
 * Memory for large reads that the connections of a thread share: whoever has a large body borrows some for it. The last
 * returned is lent first, as it is in the processor's cache.
 */
export class SharedMemory {
  /** Bytes of each buffer. */
  readonly #byteLength: number;
  /** Buffers that may be lent at once; more borrowers get none. */
  readonly #most: number;
  /** Buffers that nobody has, the last returned at the end. */
  readonly #spare: Buffer[] = [];
  /** Buffers that somebody has. */
  #lent = 0;

  /**
   * @param byteLength of each buffer
   * @param most buffers at once, lent and spare
   */
  constructor(byteLength: number, most: number) {
    this.#byteLength = byteLength;
    this.#most = most;
  }

  /** Buffers that somebody has. */
  get lent(): number {
    return this.#lent;
  }

  /** @returns a buffer with undefined content; undefined when all are lent */
  borrow(): Buffer | undefined {
    if (this.#lent === this.#most) {
      return undefined;
    }
    this.#lent++;
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#byteLength);
  }

  /** Nobody reads it or writes to it any more. */
  giveBack(buffer: Buffer): void {
    this.#lent--;
    this.#spare.push(buffer);
  }

  /** Somebody may still read a borrowed one: it does not come back. */
  lose(): void {
    this.#lent--;
  }
}
