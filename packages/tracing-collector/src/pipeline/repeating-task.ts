/** Runs a task repeatedly, one run at a time. */
export class RepeatingTask {
  readonly #work: () => Promise<number>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  /** @param work returns the time until its next run in milliseconds; must not throw */
  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** @param delayMs milliseconds before the first run */
  start(delayMs: number): void {
    if (this.#stopped) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#running = this.#work().then((nextMs) => this.start(nextMs));
    }, delayMs);
  }

  /** Resolves when the running task has ended. No further run starts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
