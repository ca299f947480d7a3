/** Work that is done again and again, one at a time. */
export class RepeatingTask {
  readonly #work: () => Promise<number>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  /** @param work gives the ms to wait before it is done again; must not throw */
  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** @param delayMs before the first time */
  start(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#work().then((nextMs) => this.start(nextMs));
    }, delayMs);
  }

  /** Resolves when work under way has ended; it is not done again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
