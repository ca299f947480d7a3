import { freeBuffer } from "./free-buffer.ts";

/** Minimum size of a buffer in bytes. A larger buffer has twice this size, four times this size, and so on. */
const smallestBytes = 16_384;
/** Maximum number of bytes that are kept for reuse; during a burst, more bytes may be in use. */
const maxKeptBytes = 524_288;

/**
 * Buffers that are used again for later requests. A new buffer for each request would live until V8 collects its old
 * generation, and by then tens of megabytes have accumulated.
 */
export class RequestBuffers {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;

  /** @returns a buffer of at least `bytes` bytes, which is not cleared */
  take(bytes: number): Buffer {
    let best = -1;
    let bestBytes = Number.POSITIVE_INFINITY;
    for (const [index, { length }] of this.#kept.entries()) {
      if (length >= bytes && length < bestBytes) {
        best = index;
        bestBytes = length;
      }
    }
    const [kept] = best === -1 ? [] : this.#kept.splice(best, 1);
    if (kept !== undefined) {
      this.#keptBytes -= kept.length;
      return kept;
    }
    let size = smallestBytes;
    while (size < bytes) {
      size *= 2;
    }
    return Buffer.allocUnsafeSlow(size);
  }

  /** @param buffer from `take`; must no longer be read */
  giveBack(buffer: Buffer): void {
    if (this.#keptBytes + buffer.length <= maxKeptBytes) {
      this.#kept.push(buffer);
      this.#keptBytes += buffer.length;
    } else {
      freeBuffer(buffer);
    }
  }
}
