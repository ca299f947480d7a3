import type { Health } from "./health.ts";

export interface StorageWatchSettings {
  /** `ready` rejects while the store cannot be used. */
  readonly store: {
    ready(signal?: AbortSignal): Promise<void>;
    /** What is wrong with a store that can be used: the health says it is degraded. */
    trouble?(): readonly string[];
  };
  /** Logs every change of its status: one line when the store goes away, one when it is back. */
  readonly health: Health;
  /** Between two looks at a store that answers; 10 s by default. */
  readonly intervalMs?: number;
  /** Between two looks at a store that is away; 1 s by default. */
  readonly awayIntervalMs?: number;
}

const readyTimeoutMs = 5_000;

/**
 * Keeps the process's health in step with its store by looking at it now and then, and at once when a request gives
 * reason to. The process goes on while the store is away: requests fail one by one, with a clear text, and work again
 * when it is back. Only a look changes the health, so that an overloaded store does not make it flicker.
 */
export class StorageWatch {
  readonly #settings: StorageWatchSettings;
  readonly #stopped = new AbortController();
  #isLooking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: StorageWatchSettings) {
    this.#settings = settings;
  }

  /** Looks at once, then regularly, until stopped. */
  start(): void {
    this.#look();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  /** A request got its answer. */
  answered(): void {
    if (this.#settings.health.status !== "available") {
      this.#look();
    }
  }

  /** A request found nobody. */
  unreachable(): void {
    if (this.#settings.health.status === "available") {
      this.#look();
    }
  }

  #look(): void {
    if (this.#isLooking || this.#stopped.signal.aborted) {
      return;
    }
    this.#isLooking = true;
    clearTimeout(this.#timer);
    void this.#problem().then((problem) => {
      this.#isLooking = false;
      if (this.#stopped.signal.aborted) {
        return;
      }
      const { store, health, intervalMs = 10_000, awayIntervalMs = 1_000 } = this.#settings;
      const trouble = problem === undefined ? (store.trouble?.() ?? []) : [];
      health.degrade("storage", trouble.length === 0 ? undefined : trouble.join("; "));
      if (problem === undefined) {
        health.set("available");
      } else {
        health.set("not available", problem);
      }
      this.#timer = setTimeout(() => this.#look(), problem === undefined ? intervalMs : awayIntervalMs);
    });
  }

  /** What is wrong with the store, for people; undefined when nothing is. */
  async #problem(): Promise<string | undefined> {
    const deadline = AbortSignal.timeout(readyTimeoutMs);
    try {
      await this.#settings.store.ready(AbortSignal.any([this.#stopped.signal, deadline]));
      return undefined;
    } catch (error) {
      if (deadline.aborted) {
        return `storage did not answer within ${readyTimeoutMs} ms`;
      }
      return error instanceof Error ? error.message : String(error);
    }
  }
}
