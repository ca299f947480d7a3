import type { BlockBytes, PackedBlock } from "./packed-block.ts";

/** Cache of decompressed blocks. The cache helps because the next trace usually needs some of the same blocks. */
export class BlockCache {
  readonly #maxBytes: number;
  /** Blocks in the order of their last use, oldest first. */
  readonly #blocks = new Map<string, PackedBlock>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param key identifies the file and the position
   * @param unpack called for a block that is not in the cache; its result must not refer to a larger piece of memory
   */
  take(key: string, unpack: () => PackedBlock): PackedBlock {
    const known = this.#blocks.get(key);
    if (known !== undefined) {
      this.#blocks.delete(key);
      this.#blocks.set(key, known);
      return known;
    }
    const block = unpack();
    this.#blocks.set(key, block);
    this.#bytes += costOf(block.bytes);
    for (const [oldest, { bytes }] of this.#blocks) {
      if (this.#bytes <= this.#maxBytes) {
        break;
      }
      this.#blocks.delete(oldest);
      this.#bytes -= costOf(bytes);
    }
    return block;
  }

  /** Drops the blocks of files whose names begin with `prefix`. */
  forget(prefix: string): void {
    for (const [key, { bytes }] of this.#blocks) {
      if (!key.startsWith(prefix)) {
        continue;
      }
      this.#blocks.delete(key);
      this.#bytes -= costOf(bytes);
    }
  }
}

/** Estimated size of an entry without its data, in bytes. */
const entryBytes = 256;

function costOf({ heldBytes }: BlockBytes): number {
  return heldBytes + entryBytes;
}
