/** Number of parts into which the time limit is divided. */
const turns = 6;

/**
 * A time limit for a server's answer. It counts only the time in which this process runs. A process that was busy, or
 * got no processor for seconds, has not yet read answers that arrived. `AbortSignal.timeout` would end the wait before
 * the answer is read, so that a busy process would consider all servers hung.
 */
export class RunningTimeout {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    // Timers drop fractions of a millisecond. Without `ceil`, the last part would end too early and another part would
    // follow.
    const turnMs = Math.ceil(ms / turns);
    let left = ms;
    let before = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      // A longer pause counts as two parts only, so that one more part remains for reading answers.
      left -= Math.min(now - before, 2 * turnMs);
      before = now;
      // Timers count whole milliseconds.
      if (left < 1) {
        clearInterval(this.#timer);
        this.#controller.abort(new Error(`no answer in ${ms} ms`));
      }
    }, turnMs).unref();
  }

  /** Aborted when the time has passed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Must be called when the answer has arrived. */
  end(): void {
    clearInterval(this.#timer);
  }
}
