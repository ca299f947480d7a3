import type { BlockBytes, PackedBlock } from "./packed-block.ts";

/** Cache of unpacked blocks. The next trace mostly needs some of the same blocks. */
export class BlockCache {
  readonly #maxBytes: number;
  /** Most recently used last. */
  readonly #blocks = new Map<string, PackedBlock>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param key names the file and the place
   * @param unpack is called when the block is not here; must not keep a larger piece of memory alive
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

/** Estimated bytes of an entry without its data. */
const entryBytes = 256;

function costOf({ heldBytes }: BlockBytes): number {
  return heldBytes + entryBytes;
}
