/**
 * Maximum number of blocks that are remembered, as `WriteOptions.deduplicationToken` promises. Beyond it, the oldest
 * are forgotten.
 */
const maxBlocks = 10_000;

/**
 * Remembers which spans of each block the server has acknowledged. The API has no tokens; with this memory, a block
 * that is sent again continues after its acknowledged spans. The newest 10,000 blocks are remembered, until the process
 * ends.
 */
export class BlockProgress {
  readonly #blocks = new Map<string, Set<number> | "whole">();

  isWhole(token: string): boolean {
    return this.#blocks.get(token) === "whole";
  }

  /** Indexes of the block's parts that the server has acknowledged. The caller adds to the set. */
  partsOf(token: string): Set<number> {
    const known = this.#blocks.get(token);
    if (known !== undefined && known !== "whole") {
      return known;
    }
    const parts = new Set<number>();
    this.#set(token, parts);
    return parts;
  }

  setWhole(token: string): void {
    this.#set(token, "whole");
  }

  #set(token: string, progress: Set<number> | "whole"): void {
    this.#blocks.delete(token);
    this.#blocks.set(token, progress);
    if (this.#blocks.size <= maxBlocks) {
      return;
    }
    const [oldest] = this.#blocks.keys();
    if (oldest !== undefined) {
      this.#blocks.delete(oldest);
    }
  }
}
