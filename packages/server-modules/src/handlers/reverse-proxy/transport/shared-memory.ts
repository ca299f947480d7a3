/**
 * Buffers for large reads, shared by the connections of a thread. A connection with a large body borrows a buffer. The
 * buffer that was returned last is lent first, because it is in the processor's cache.
 */
export class SharedMemory {
  /** Bytes of each buffer. */
  readonly #byteLength: number;
  /** Maximum number of buffers that are lent at once. */
  readonly #most: number;
  /** Free buffers; the buffer that was returned last is at the end. */
  readonly #spare: Buffer[] = [];
  /** Number of lent buffers. */
  #lent = 0;

  /**
   * @param byteLength size of each buffer in bytes
   * @param most limit of buffers, lent and free
   */
  constructor(byteLength: number, most: number) {
    this.#byteLength = byteLength;
    this.#most = most;
  }

  get lent(): number {
    return this.#lent;
  }

  /** @returns a buffer with arbitrary content; undefined when all are in use */
  borrow(): Buffer | undefined {
    if (this.#lent === this.#most) {
      return undefined;
    }
    this.#lent++;
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#byteLength);
  }

  /** Returns a buffer. The borrower must not use the buffer any more. */
  giveBack(buffer: Buffer): void {
    this.#lent--;
    this.#spare.push(buffer);
  }

  /** Gives up a borrowed buffer that may still be read: it is not reused. */
  lose(): void {
    this.#lent--;
  }
}
