import type { Health } from "./health.ts";

/** Settings for checking whether the storage answers. */
export interface StorageWatchSettings {
  /** The storage to check. `ready` rejects if the storage cannot be used. */
  readonly store: {
    ready(signal?: AbortSignal): Promise<void>;
    /** Faults of a storage that still works; with such faults, the health is degraded. */
    trouble?(): readonly string[];
  };
  /** Health of the process. The watch logs one line when the storage fails, and one line when it works again. */
  readonly health: Health;
  /** Milliseconds between two checks of a storage that answers. Default: 10 s. */
  readonly intervalMs?: number;
  /** Milliseconds between two checks of a storage that does not answer. Default: 1 s. */
  readonly awayIntervalMs?: number;
  /** Milliseconds of one check; a slower check counts as failed. Default: 5 s. */
  readonly readyTimeoutMs?: number;
}

/** The result of one check. */
interface Look {
  /** Text of the storage's fault; undefined without a fault. */
  readonly problem: string | undefined;
  /** True when the storage did not answer in time. */
  readonly isLate: boolean;
}

/** Number of consecutive late checks after which the storage counts as unavailable. Other faults count at once. */
const patience = 2;

/**
 * Keeps the process's health equal to the state of its storage. It checks the storage at intervals, and immediately
 * after a failed request. One slow check proves nothing, because this process may have had no CPU time; therefore a
 * second check follows immediately. While the storage is unavailable, the process continues: each request fails with a
 * clear message, until the storage works again. Only a check changes the health. Otherwise, an overloaded storage would
 * change the health at every request.
 */
export class StorageWatch {
  readonly #settings: StorageWatchSettings;
  readonly #stopped = new AbortController();
  #isLooking = false;
  #lateLooks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: StorageWatchSettings) {
    this.#settings = settings;
  }

  /** Checks immediately, then at intervals until `stop`. */
  start(): void {
    this.#look();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  /** Called when the storage has answered a request. */
  answered(): void {
    if (this.#settings.health.status !== "available") {
      this.#look();
    }
  }

  /** Called when a request could not reach the storage. Starts a check. */
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
    void this.#lookOnce().then(({ problem, isLate }) => {
      this.#isLooking = false;
      if (this.#stopped.signal.aborted) {
        return;
      }
      this.#lateLooks = isLate ? this.#lateLooks + 1 : 0;
      if (isLate && this.#lateLooks < patience && this.#settings.health.status === "available") {
        this.#look();
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

  async #lookOnce(): Promise<Look> {
    const { store, readyTimeoutMs = 5_000 } = this.#settings;
    const deadline = AbortSignal.timeout(readyTimeoutMs);
    try {
      await store.ready(AbortSignal.any([this.#stopped.signal, deadline]));
      return { problem: undefined, isLate: false };
    } catch (error) {
      if (deadline.aborted) {
        return { problem: `storage did not answer within ${readyTimeoutMs} ms`, isLate: true };
      }
      return { problem: error instanceof Error ? error.message : String(error), isLate: false };
    }
  }
}
