/** Hands sealed segments to the writers that ask for them, in the order in which they were sealed. */
export class SealedQueue<Segment> {
  /** Segments that no writer has taken yet, the oldest first. */
  readonly #sealed: Segment[];
  /** Writers that wait for a segment; while one waits, there is no sealed segment. */
  readonly #takers: ((segment: Segment | undefined) => void)[] = [];
  /** True when the last segment is sealed: `take` then returns undefined instead of waiting. */
  #isFinished = false;

  /** @param sealed segments of an earlier run */
  constructor(sealed: readonly Segment[] = []) {
    this.#sealed = [...sealed];
  }

  /** True while a writer waits. */
  get isAwaited(): boolean {
    return this.#takers.length > 0;
  }

  /** Hands the segment to the writer that has waited longest; without such a writer, it waits in the queue. */
  put(segment: Segment): void {
    const taker = this.#takers.shift();
    if (taker === undefined) {
      this.#sealed.push(segment);
    } else {
      taker(segment);
    }
  }

  /**
   * @param onWait called when the writer waits, because the open segment may be old enough for it
   * @returns undefined when all segments were taken and the journal has finished
   */
  take(onWait: () => void): Promise<Segment | undefined> {
    const segment = this.#sealed.shift();
    if (segment !== undefined || this.#isFinished) {
      return Promise.resolve(segment);
    }
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      onWait();
    });
  }

  /** Tells the waiting writers that no more segments will come. */
  finish(): void {
    this.#isFinished = true;
    for (const taker of this.#takers.splice(0)) {
      taker(undefined);
    }
  }
}
