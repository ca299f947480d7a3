import type { Health } from "lifecycle";
import type { TraceStore } from "storage/api";

export interface StorageWatchSettings {
  readonly store: Pick<TraceStore, "ready">;
  /** Logs every change of its status: one line when the store goes away, one when it is back. */
  readonly health: Health;
  /** The store in words: "storage at http://127.0.0.1:8123". */
  readonly name: string;
  /** Between two looks at the store; 2 s by default. */
  readonly intervalMs?: number;
}

const readyTimeoutMs = 5_000;

/**
 * Keeps the process's health in step with its store, by asking it now and then and by what requests meet. The process
 * goes on while the store is away: requests fail one by one, with a clear text, and work again when it is back.
 */
export class StorageWatch {
  readonly #settings: StorageWatchSettings;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: StorageWatchSettings) {
    this.#settings = settings;
  }

  /** Looks at once, then regularly, until stopped. */
  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  /** A request got its answer. */
  answered(): void {
    if (!this.#stopped.signal.aborted) {
      this.#settings.health.set("available");
    }
  }

  /** A request found nobody. */
  unreachable(error: Error): void {
    if (!this.#stopped.signal.aborted) {
      this.#settings.health.set("not available", `${this.#settings.name}: ${error.message}`);
    }
  }

  async #look(): Promise<void> {
    const { store, intervalMs = 2_000 } = this.#settings;
    try {
      await store.ready(AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(readyTimeoutMs)]));
      this.answered();
    } catch (error) {
      this.unreachable(error instanceof Error ? error : new Error(String(error)));
    }
    if (!this.#stopped.signal.aborted) {
      this.#timer = setTimeout(() => void this.#look(), intervalMs);
    }
  }
}
