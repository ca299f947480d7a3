/** Number of remembered streams, which distinguish a late frame from a wrong one. */
const rememberedStreams = 1_000;

/** Ids of the streams that ended last. */
export class RecentStreams {
  readonly #ids = new Set<number>();

  add(streamId: number): void {
    this.#ids.add(streamId);
    if (this.#ids.size <= rememberedStreams) {
      return;
    }
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }

  has(streamId: number): boolean {
    return this.#ids.has(streamId);
  }
}
