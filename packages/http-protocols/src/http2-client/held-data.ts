/** Bytes of each memory block. Small pieces share a block, so they use no more memory than one large piece. */
const chunkBytes = 16 * 1024;

/** Data of one stream that its reader does not accept yet. The stream's window limits its size. */
export class HeldData {
  #chunks: Buffer[] = [];
  #chunk: Buffer | undefined;
  /** Bytes of `#chunk` that are in use. */
  #used = 0;

  get isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#used === 0;
  }

  /** Copies a piece, because a view would keep the memory of everything that arrived with it. */
  push(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      this.#chunk ??= Buffer.allocUnsafeSlow(chunkBytes);
      const copied = piece.copy(this.#chunk, this.#used, at);
      this.#used += copied;
      at += copied;
      if (this.#used === chunkBytes) {
        this.#chunks.push(this.#chunk);
        this.#chunk = undefined;
        this.#used = 0;
      }
    }
  }

  /** @returns the oldest data, at most 16 KiB; undefined when there is none */
  take(): Buffer | undefined {
    const first = this.#chunks.shift();
    if (first !== undefined || this.#chunk === undefined) {
      return first;
    }
    const rest = this.#chunk.subarray(0, this.#used);
    this.#chunk = undefined;
    this.#used = 0;
    return rest;
  }

  drop(): void {
    this.#chunks = [];
    this.#chunk = undefined;
    this.#used = 0;
  }
}
