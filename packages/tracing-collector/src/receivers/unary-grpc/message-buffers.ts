/** What a message begins with; most batches of spans fit. */
const firstCapacityBytes = 64 * 1024;
/** Buffers of the first size that are kept for the next messages. */
const maxSpares = 64;

/**
 * Memory for messages that are still on their way, of all connections together, within one limit. A message takes at
 * most twice as much as it has sent so far, whatever length it announced.
 */
export class MessageBuffers {
  readonly #maxBytes: number;
  readonly #spares: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns undefined when the limit is reached */
  take(): Buffer | undefined {
    if (this.#bytes + firstCapacityBytes > this.#maxBytes) return undefined;
    this.#bytes += firstCapacityBytes;
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(firstCapacityBytes);
  }

  /**
   * Exchanges a full buffer for one at least twice as large, with the same bytes at its beginning.
   * @returns undefined when the limit is reached: the old one is still the caller's
   */
  grow(buffer: Buffer, needed: number): Buffer | undefined {
    const capacity = Math.max(needed, 2 * buffer.length);
    if (this.#bytes + capacity > this.#maxBytes) return undefined;
    this.#bytes += capacity;
    const larger = Buffer.allocUnsafeSlow(capacity);
    buffer.copy(larger);
    this.give(buffer);
    return larger;
  }

  /** The caller is done with it. */
  give(buffer: Buffer): void {
    this.#bytes -= buffer.length;
    if (buffer.length === firstCapacityBytes && this.#spares.length < maxSpares) this.#spares.push(buffer);
  }
}
