import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import { keeperAway } from "../clickhouse-errors.ts";

/** The state of a cluster's Keeper, for inserts. */
export interface KeeperOfInserts {
  /** Aborted while no server that answers can reach its Keeper. The signal's reason is the error that inserts throw. */
  readonly awaySignal: AbortSignal;
  /** Checks the servers now. It never rejects. */
  look(): Promise<void>;
}

const lookAgainMs = 1_000;
const lookTimeoutMs = 3_000;

/**
 * Watches whether servers accept writes. A server that loses its Keeper during an insert tries for two minutes to find
 * out whether the block is stored, and must not be interrupted. An interrupted server keeps a part that the Keeper does
 * not know. For five minutes the server shows that part together with the rows of the next attempt. Therefore only the
 * writer stops waiting, and the server's time limits stay unchanged.
 */
export class KeeperWatch implements KeeperOfInserts {
  readonly #ask: (signal: AbortSignal) => Promise<readonly boolean[]>;
  readonly #closed = new AbortController();
  #away = new AbortController();
  #running: Promise<void> | undefined;

  /** @param ask returns, for each server that answers, whether its tables are read-only */
  constructor(ask: (signal: AbortSignal) => Promise<readonly boolean[]>) {
    this.#ask = ask;
  }

  get awaySignal(): AbortSignal {
    return this.#away.signal;
  }

  look(): Promise<void> {
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  close(): void {
    this.#closed.abort();
  }

  async #look(): Promise<void> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(lookTimeoutMs)]);
    const readOnly = await this.#ask(signal).catch(() => []);
    const isAway = readOnly.length > 0 && readOnly.every((is) => is);
    const wasAway = this.#away.signal.aborted;
    if (isAway && !wasAway) {
      this.#away.abort(new StorageError("STORAGE_UNAVAILABLE", `storage: ${keeperAway}`));
      void this.#lookAgain();
    } else if (!isAway && wasAway && readOnly.length > 0) {
      this.#away = new AbortController();
    }
  }

  async #lookAgain(): Promise<void> {
    while (this.#away.signal.aborted && !this.#closed.signal.aborted) {
      await sleep(lookAgainMs, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
      if (!this.#closed.signal.aborted) {
        await this.look();
      }
    }
  }
}
