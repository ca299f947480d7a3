/** Longest wait for senders that are expected to send again, in milliseconds. */
const longestWaitMs = 8;

/**
 * Chooses when the next commit begins. A sync costs the processor time of about ten batches. After a commit that
 * several senders shared, the next one waits for those senders, because most of them send again at once. It begins when
 * the last of them has sent, or after `longestWaitMs`. A single sender never waits.
 */
export class CommitPace {
  #expectedBatches = 0;
  #untilMs = 0;
  #proceed: (() => void) | undefined;

  /**
   * Must be called after a commit, before its senders get their answers.
   * @param batches number of batches in the commit
   * @param waitingBatches number of batches that arrived meanwhile
   */
  committed(batches: number, waitingBatches: number): void {
    this.#expectedBatches = batches > 1 ? batches + waitingBatches : 0;
    this.#untilMs = performance.now() + longestWaitMs;
  }

  /** Resolves when the next commit should begin. @param waitingBatches number of waiting batches */
  async wait(waitingBatches: number): Promise<void> {
    if (waitingBatches >= this.#expectedBatches) {
      return;
    }
    const waitMs = this.#untilMs - performance.now();
    if (waitMs <= 0) {
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#proceed = resolve;
    await promise;
    clearTimeout(timer);
    this.#proceed = undefined;
  }

  /**
   * Must be called when another batch has arrived. @param waitingBatches number of waiting batches, including this one
   */
  arrived(waitingBatches: number): void {
    if (waitingBatches >= this.#expectedBatches) {
      this.#proceed?.();
    }
  }

  /** Stops waiting for senders: the next commit begins at once. */
  end(): void {
    this.#expectedBatches = 0;
    this.#proceed?.();
  }
}
