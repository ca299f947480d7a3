import type { BlockBytes, PackedBlock } from "./packed-block.ts";

/** Blocks that were unpacked last: who looks at a trace, or at the newest ones, mostly needs some of the same next. */
export class BlockCache {
  readonly #maxBytes: number;
  /** The one that was asked for last at the end. */
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
      if (this.#bytes <= this.#maxBytes) break;
      this.#blocks.delete(oldest);
      this.#bytes -= costOf(bytes);
    }
    return block;
  }

  /** Blocks of files whose names begin so. */
  forget(prefix: string): void {
    for (const [key, { bytes }] of this.#blocks) {
      if (!key.startsWith(prefix)) continue;
      this.#blocks.delete(key);
      this.#bytes -= costOf(bytes);
    }
  }
}

/** What an entry takes besides its bytes. */
const entryBytes = 256;

function costOf({ heldBytes }: BlockBytes): number {
  return heldBytes + entryBytes;
}
