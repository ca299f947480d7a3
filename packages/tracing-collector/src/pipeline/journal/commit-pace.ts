/** Longest wait for senders that are expected back. */
const longestWaitMs = 8;

/**
 * Says when the next commit begins. A sync takes the processor as long as some ten batches do, so after a commit that several
 * senders shared the next waits for those it answered: they mostly send on at once. With the last of them it begins, and
 * without them when milliseconds are over. A sender that is alone never waits.
 */
export class CommitPace {
  #expectedBatches = 0;
  #untilMs = 0;
  #proceed: (() => void) | undefined;

  /**
   * A commit is over; called before its senders are told.
   * @param batches that it had
   * @param waitingBatches that came meanwhile
   */
  committed(batches: number, waitingBatches: number): void {
    this.#expectedBatches = batches > 1 ? batches + waitingBatches : 0;
    this.#untilMs = performance.now() + longestWaitMs;
  }

  /** Resolves when the next commit is to begin. @param waitingBatches that are there now */
  async wait(waitingBatches: number): Promise<void> {
    if (waitingBatches >= this.#expectedBatches) return;
    const waitMs = this.#untilMs - performance.now();
    if (waitMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#proceed = resolve;
    await promise;
    clearTimeout(timer);
    this.#proceed = undefined;
  }

  /** Another batch came. @param waitingBatches with it */
  arrived(waitingBatches: number): void {
    if (waitingBatches >= this.#expectedBatches) this.#proceed?.();
  }

  /** Nobody is expected any more: the next commit begins at once. */
  end(): void {
    this.#expectedBatches = 0;
    this.#proceed?.();
  }
}
