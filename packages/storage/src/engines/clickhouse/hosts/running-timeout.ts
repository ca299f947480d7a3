/** Number of turns into which the time is divided. */
const turns = 6;

/**
 * A deadline for the answer of a server that counts the time in which this process runs. A process that got no
 * processor for seconds, or was busy itself, has not read yet what servers have sent. `AbortSignal.timeout` then ends
 * the wait before the answer is read, so a busy process took servers for hung, all at once.
 */
export class RunningTimeout {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    // Timers drop fractions: without `ceil`, the last turn would end too early and cost a whole further turn.
    const turnMs = Math.ceil(ms / turns);
    let left = ms;
    let before = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      // After a longer pause there is one more turn, in which answers are read.
      left -= Math.min(now - before, 2 * turnMs);
      before = now;
      // Timers count whole milliseconds.
      if (left < 1) {
        clearInterval(this.#timer);
        this.#controller.abort(new Error(`no answer in ${ms} ms`));
      }
    }, turnMs).unref();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The answer is there. */
  end(): void {
    clearInterval(this.#timer);
  }
}
