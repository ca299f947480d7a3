/** Runs jobs in the order in which they were added, with a limit of concurrent jobs. */
export class Lane {
  readonly #most: number;
  readonly #jobs: (() => Promise<void>)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a job when fewer than the limit run. The job must catch its own exceptions. */
  add(job: () => Promise<void>): void {
    this.#jobs.push(job);
    this.#next();
  }

  /** Drops the waiting jobs. */
  clear(): void {
    this.#jobs.length = 0;
  }

  #next(): void {
    while (this.#running < this.#most) {
      const job = this.#jobs.shift();
      if (job === undefined) {
        return;
      }
      this.#running++;
      void job().finally(() => {
        this.#running--;
        this.#next();
      });
    }
  }
}

/**
 * Runs a read with a timeout. The timeout also works for a read that ignores its signal.
 * @throws Error about the timeout after `timeoutMs`
 */
export async function inTime<T>(
  timeoutMs: number,
  stop: AbortSignal,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const onStop = () => ended.reject(new Error("the process stops"));
  const timer = setTimeout(
    () => ended.reject(new Error(`the store did not answer within ${timeoutMs / 1_000} s`)),
    timeoutMs,
  );
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) {
    onStop();
  }
  try {
    const reading = read(controller.signal);
    reading.catch(() => {});
    return await Promise.race([reading, ended.promise]);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", onStop);
    controller.abort();
  }
}
