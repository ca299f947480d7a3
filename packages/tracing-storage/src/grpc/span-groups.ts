import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type SpanWriter, StorageError } from "storage/api";
import type { SpanRows } from "wire/rows";
import { type GroupMember, SpanGroup } from "./span-group.ts";
import { WriteError } from "./write-error.ts";

export interface SpanGroupsSettings {
  readonly writer: SpanWriter;
  /** Longest time in milliseconds that the first span of a group waits for other spans. */
  readonly maxDelayMs: number;
  /** Size limit in bytes of the rows in all groups, including groups that are being written. */
  readonly maxPendingBytes: number;
  /** Time in milliseconds for which writing a group is repeated while the store is down. */
  readonly writeTimeoutMs: number;
  /** Number of spans at which a group is written without waiting longer. Default: 10,000. */
  readonly maxGroupSpans?: number;
  /** Size in bytes at which a group is written without waiting longer. Default: 8 MiB. */
  readonly maxGroupBytes?: number;
  /** Maximum number of writes that may run at once; further groups wait. Default: 4. */
  readonly maxWrites?: number;
  /** Called with the number of spans of each stored block. */
  readonly written?: (spans: number) => void;
}

const minPauseMs = 100;
const maxPauseMs = 2_000;

/**
 * Collects single spans into blocks, because a small block costs the store as much as about a thousand spans of a large
 * block. While a block is written, the next block grows; full blocks are written concurrently. Each sender gets its
 * answer when its span is stored. While the store is down, a block is sent again under the same token. A refused block
 * is halved repeatedly, until only the faulty spans are refused.
 */
export class SpanGroups {
  readonly #settings: SpanGroupsSettings;
  readonly #stopped = new AbortController();
  readonly #waiting: SpanGroup[] = [];
  readonly #roomWaiters: (() => void)[] = [];
  readonly #writes = new Set<Promise<void>>();
  #open: SpanGroup | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isStopping = false;
  #pendingBytes = 0;

  constructor(settings: SpanGroupsSettings) {
    this.#settings = settings;
  }

  /** Bytes of rows that are not stored yet. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get hasRoom(): boolean {
    return this.#pendingBytes < this.#settings.maxPendingBytes;
  }

  /** Resolves when the size of all rows is below the limit again. */
  room(): Promise<void> {
    if (this.hasRoom || this.#isStopping) {
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /**
   * Copies the rows immediately. @returns a promise that resolves when the rows are durable and searchable
   * @throws WriteError, StorageError if the rows are not stored; after STORAGE_TIMEOUT they may be stored
   */
  async add(rows: SpanRows): Promise<void> {
    if (this.#isStopping) {
      throw new WriteError("WRITE_STOPPING", "this process is stopping");
    }
    if (!this.hasRoom) {
      const { maxPendingBytes } = this.#settings;
      throw new WriteError(
        "WRITE_BUSY",
        `spans that wait to be written take ${this.#pendingBytes} bytes, over the limit of ${maxPendingBytes}`,
      );
    }
    const { maxGroupSpans = 10_000, maxGroupBytes = 8 * 1024 * 1024, maxDelayMs } = this.#settings;
    let group = this.#open;
    if (group === undefined) {
      group = new SpanGroup();
      this.#open = group;
      this.#timer = setTimeout(() => this.#due(), maxDelayMs);
    }
    this.#pendingBytes += rows.bytes.length;
    const stored = group.add(rows);
    if (group.count >= maxGroupSpans || group.bytes >= maxGroupBytes) {
      this.#closeGroup();
    }
    await stored;
  }

  /** Refuses new spans, and writes the collected spans until `signal` is aborted. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    for (const wake of this.#roomWaiters.splice(0)) {
      wake();
    }
    const giveUp = () => this.#stopped.abort();
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) {
      giveUp();
    }
    this.#closeGroup();
    while (this.#writes.size > 0) {
      await Promise.all(this.#writes);
    }
    signal.removeEventListener("abort", giveUp);
  }

  /**
   * Called when the group has waited long enough. While another group is being written, this group may grow further.
   */
  #due(): void {
    this.#isDue = true;
    if (this.#writes.size === 0) {
      this.#closeGroup();
    }
  }

  #closeGroup(): void {
    clearTimeout(this.#timer);
    this.#isDue = false;
    if (this.#open === undefined) {
      return;
    }
    this.#waiting.push(this.#open);
    this.#open = undefined;
    this.#begin();
  }

  #begin(): void {
    const { maxWrites = 4 } = this.#settings;
    while (this.#writes.size < maxWrites) {
      const group = this.#waiting.shift();
      if (group === undefined) {
        return;
      }
      const write = this.#write(group, group.members).then(() => {
        this.#writes.delete(write);
        this.#pendingBytes -= group.bytes;
        if (this.hasRoom) {
          for (const wake of this.#roomWaiters.splice(0)) {
            wake();
          }
        }
        this.#begin();
        if (this.#isDue && this.#writes.size === 0) {
          this.#closeGroup();
        }
      });
      this.#writes.add(write);
    }
  }

  async #write(group: SpanGroup, members: readonly GroupMember[]): Promise<void> {
    try {
      await this.#persist(group, members);
      for (const { done } of members) {
        done.resolve();
      }
    } catch (error) {
      if (members.length > 1 && error instanceof StorageError && error.code === "STORAGE_REFUSED") {
        const half = members.length >>> 1;
        await this.#write(group, members.slice(0, half));
        await this.#write(group, members.slice(half));
        return;
      }
      for (const { done } of members) {
        done.reject(error);
      }
    }
  }

  async #persist(group: SpanGroup, members: readonly GroupMember[]): Promise<void> {
    const { writer, writeTimeoutMs, written } = this.#settings;
    const rows = group.rowsOf(members);
    const options = { deduplicationToken: randomUUID(), receivedUnixMs: group.receivedUnixMs };
    const { signal } = this.#stopped;
    for (let pauseMs = minPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        await writer.writeSpans(rows, { ...options, signal });
        written?.(rows.count);
        return;
      } catch (error) {
        const isOver = performance.now() - group.openedAtMs + pauseMs > writeTimeoutMs;
        if (isOver || signal.aborted || !mayPass(error)) {
          throw error;
        }
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

function mayPass(error: unknown): boolean {
  return (
    error instanceof StorageError &&
    (error.code === "STORAGE_UNAVAILABLE" || error.code === "STORAGE_TIMEOUT")
  );
}
