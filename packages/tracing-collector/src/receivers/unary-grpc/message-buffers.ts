import type { UnfinishedBytes } from "../unfinished-bytes.ts";

/** First size of a message's buffer in bytes; most batches of spans fit. */
const firstCapacityBytes = 64 * 1024;
/** Maximum number of unused buffers that are kept for later messages. Further ones are freed. */
const maxSpares = 64;

/**
 * Memory for incomplete messages, within the limit of all running requests. A message uses at most twice the bytes that
 * it has sent so far; the announced length does not matter.
 */
export class MessageBuffers {
  readonly #unfinished: UnfinishedBytes;
  readonly #spares: Buffer[] = [];

  constructor(unfinished: UnfinishedBytes) {
    this.#unfinished = unfinished;
  }

  /** Bytes of incomplete messages, in these buffers and elsewhere. */
  get bytes(): number {
    return this.#unfinished.bytes;
  }

  /** @returns undefined when the limit is reached */
  take(): Buffer | undefined {
    if (!this.#unfinished.hasRoom(firstCapacityBytes)) {
      return undefined;
    }
    this.#unfinished.take(firstCapacityBytes);
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(firstCapacityBytes);
  }

  /**
   * Replaces a full buffer by one at least twice as large, with the same bytes at its beginning.
   * @returns undefined when the limit is reached; the caller then keeps the old buffer
   */
  grow(buffer: Buffer, needed: number): Buffer | undefined {
    const capacity = Math.max(needed, 2 * buffer.length);
    if (!this.#unfinished.hasRoom(capacity)) {
      return undefined;
    }
    this.#unfinished.take(capacity);
    const larger = Buffer.allocUnsafeSlow(capacity);
    buffer.copy(larger);
    this.give(buffer);
    return larger;
  }

  /** Returns a buffer that the caller no longer uses. */
  give(buffer: Buffer): void {
    this.#unfinished.give(buffer.length);
    if (buffer.length === firstCapacityBytes && this.#spares.length < maxSpares) {
      this.#spares.push(buffer);
    }
  }
}
