import { engineError } from "../engine-error.ts";

export interface GateLimits {
  /** Maximum number of queries that may run at once. Further queries wait. */
  readonly maxRunning: number;
  /** Maximum number of queries that may wait; further queries are refused. */
  readonly maxWaiting: number;
}

function leftEarly() {
  return engineError("QUERY_WAS_CANCELLED", "the client left before its query was started");
}

/** Limits the number of running queries and of waiting queries. Waiting queries run in order of arrival. */
export class QueryGate {
  readonly #limits: GateLimits;
  readonly #waiters = new Set<() => void>();
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Runs `work` when the number of running queries allows it.
   * @param signal removes a waiting query from the queue; the caller must cancel a query that already runs
   * @throws EngineError TOO_MANY_SIMULTANEOUS_QUERIES when the queue is full, QUERY_WAS_CANCELLED on abort
   */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (signal.aborted) {
      throw leftEarly();
    }
    if (this.#running >= this.#limits.maxRunning) {
      await this.#wait(signal);
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Resolves when no query runs or waits. */
  async idle(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  #leave(): void {
    const [first] = this.#waiters;
    if (first !== undefined) {
      this.#waiters.delete(first);
      first();
      return;
    }
    this.#running--;
    if (this.#running === 0) {
      this.#onIdle?.();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { maxRunning, maxWaiting } = this.#limits;
    if (this.#waiters.size >= maxWaiting) {
      throw engineError(
        "TOO_MANY_SIMULTANEOUS_QUERIES",
        `Too many simultaneous queries: ${maxRunning} run and ${maxWaiting} wait, try again later`,
      );
    }
    return new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#waiters.delete(waiter);
        reject(leftEarly());
      };
      const waiter = () => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiters.add(waiter);
    });
  }
}
