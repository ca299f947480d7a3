import { setImmediate as immediate } from "node:timers/promises";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "../errors.ts";
import type { WrittenDocument } from "../json/written-document.ts";
import type { HistoryEntry, HistoryFiles } from "./history-files.ts";

export interface HistoryLimits {
  /** Maximum number of stored configs; 0: none. Beyond it, the oldest are removed. */
  readonly maxEntries: number;
  /** Maximum number of bytes of all stored configs; beyond it, the oldest are removed. The newest is always stored. */
  readonly maxBytes: number;
}

export const defaultHistoryLimits: HistoryLimits = { maxEntries: 100, maxBytes: 64 * 1024 * 1024 };

export interface RecordedConfig {
  /** The document as it was loaded. */
  readonly document: WrittenDocument;
  /** The author: a client's address, a signal, a file. */
  readonly author: string;
  /** The request that caused the change. */
  readonly cause?: string | undefined;
  readonly limits: HistoryLimits;
  /** True: may be written to disk (`admin.config.persist`). False: stored in memory until the process ends. */
  readonly persist: boolean;
}

/** Maximum number of pending writes and removals. Above it, a change waits for them. */
const maxPending = 16;

/**
 * The last configs that ran. The history is written in the background, because the autosave already makes a change
 * durable.
 */
export class ConfigHistory {
  readonly #files: HistoryFiles;
  readonly #log: Logger;
  readonly #entries: HistoryEntry[] = [];
  /** Documents that are not on disk, yet or at all. */
  readonly #documents = new Map<number, string>();
  #next = 1;
  #newest: string | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(files: HistoryFiles, log: Logger) {
    this.#files = files;
    this.#log = log;
  }

  /** Reads the history of earlier processes. An unreadable folder counts as empty, and is logged. */
  async open(): Promise<void> {
    try {
      this.#entries.push(...(await this.#files.list()));
      const newest = this.#entries.at(-1);
      if (newest !== undefined) {
        this.#next = newest.n + 1;
        this.#newest = await this.#files.read(newest.n);
      }
    } catch (error) {
      this.#log.warn(`the history of configs cannot be read: ${messageOf(error)}`);
    }
  }

  /** All entries, newest first. */
  get entries(): readonly HistoryEntry[] {
    return this.#entries.toReversed();
  }

  /**
   * Adds a config that now runs, unless it is already the newest. Waits only when too many entries are not yet written.
   */
  async record({ document, author, cause, limits, persist }: RecordedConfig): Promise<void> {
    const { text } = document;
    const isFirstNothing = text === "null" && this.#entries.length === 0;
    if (text === this.#newest || isFirstNothing || limits.maxEntries === 0) {
      await this.#trim(limits);
      return;
    }
    const entry: HistoryEntry = {
      n: this.#next++,
      at: new Date().toISOString(),
      author: author.slice(0, 500),
      bytes: document.bytes.length,
      ...(cause === undefined ? {} : { cause: cause.slice(0, 500) }),
    };
    this.#newest = text;
    this.#entries.push(entry);
    this.#documents.set(entry.n, text);
    if (persist) {
      this.#background(async () => {
        await this.#files.write(entry, document.bytes);
        this.#documents.delete(entry.n);
      });
    }
    await this.#trim(limits);
  }

  /** The document of an entry. @throws ServerError HISTORY_UNKNOWN */
  async document(n: number): Promise<string> {
    if (!this.#entries.some((entry) => entry.n === n)) {
      throw new ServerError("HISTORY_UNKNOWN", `the history has no entry ${n}`);
    }
    const kept = this.#documents.get(n);
    if (kept !== undefined) {
      return kept;
    }
    try {
      return await this.#files.read(n);
    } catch (error) {
      throw new ServerError(
        "HISTORY_UNKNOWN",
        `entry ${n} of the history cannot be read: ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  /** The previous entry, if it is still stored. */
  before(n: number): HistoryEntry | undefined {
    return this.#entries.findLast((entry) => entry.n < n);
  }

  /** Waits until the running writes have ended. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #trim({ maxEntries, maxBytes }: HistoryLimits): Promise<void> {
    let bytes = this.#entries.reduce((sum, entry) => sum + entry.bytes, 0);
    while (this.#entries.length > maxEntries || (bytes > maxBytes && this.#entries.length > 1)) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) {
        break;
      }
      bytes -= oldest.bytes;
      this.#background(async () => {
        this.#documents.delete(oldest.n);
        await this.#files.remove(oldest.n);
      });
    }
    if (this.#entries.length === 0) {
      this.#newest = undefined;
    }
    if (this.#pending > maxPending) {
      await this.#writing;
    }
  }

  #background(work: () => Promise<void>): void {
    this.#pending++;
    this.#writing = this.#writing
      .then(() => immediate()) // the answer to the change is sent before the history is written
      .then(work)
      .catch((error: unknown) =>
        this.#log.error(`the history of configs is not written: ${messageOf(error)}`),
      )
      .finally(() => {
        this.#pending--;
      });
  }
}
