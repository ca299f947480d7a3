import type { Health } from "./health.ts";

/** How a process looks whether its store answers. */
export interface StorageWatchSettings {
  /** `ready` rejects while the store cannot be used. */
  readonly store: {
    ready(signal?: AbortSignal): Promise<void>;
    /** Faults of a store that still works; the health is then degraded. */
    trouble?(): readonly string[];
  };
  /** Logs every change of its state: a line when the store goes down, and a line when it is back. */
  readonly health: Health;
  /** Between two looks at a store that answers; 10 s by default. */
  readonly intervalMs?: number;
  /** Between two looks at a store that is away; 1 s by default. */
  readonly awayIntervalMs?: number;
  /** Longest wait for one look; 5 s by default. */
  readonly readyTimeoutMs?: number;
}

/** The result of one look. */
interface Look {
  /** The fault of the store, for people; undefined without one. */
  readonly problem: string | undefined;
  /** True: the store said nothing in time. */
  readonly isLate: boolean;
}

/** Looks without an answer, one after the other, until a store that was there counts as away. */
const patience = 2;

/**
 * Keeps the process's health equal to the state of its store. It checks the store at intervals, and at once
 * when a request failed. One look that takes too long says nothing about the store: this process may have got no
 * processor, so a second look follows at once. While the store is down the process continues: each request fails with a clear text,
 * and requests work again when the store is back. Only a check changes the health, so that an overloaded
 * store does not make it flicker.
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

  /** Looks at once, then regularly, until stopped. */
  start(): void {
    this.#look();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  /** A request was answered. */
  answered(): void {
    if (this.#settings.health.status !== "available") {
      this.#look();
    }
  }

  /** A request reached no store. */
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
