import { type StorageWatch, startChild } from "lifecycle";
import { StorageError } from "storage/api";
import type { QueryMetrics, ReadOperation } from "./query-metrics.ts";

/** Counts and times every read of the store, and tells the watch whether the store answers. */
export class StoreReads {
  readonly #watch: StorageWatch;
  readonly #metrics: QueryMetrics;

  constructor({ watch, metrics }: { readonly watch: StorageWatch; readonly metrics: QueryMetrics }) {
    this.#watch = watch;
    this.#metrics = metrics;
  }

  /** A read that finds so many of something. */
  list<T>(operation: ReadOperation, read: () => Promise<readonly T[]>): Promise<T[]> {
    return this.#read(operation, read as () => Promise<T[]>, ({ length }) => length);
  }

  /** Work on so many of something, of which no list is made. */
  sized<T extends { readonly length: number }>(operation: ReadOperation, work: () => Promise<T>): Promise<T> {
    return this.#read(operation, work, ({ length }) => length);
  }

  /** A read of one answer. */
  one<T>(operation: ReadOperation, read: () => Promise<T>): Promise<T> {
    return this.#read(operation, read, () => 1);
  }

  /** Counts an answer that took no read. */
  fromMemory(operation: ReadOperation, count: number): void {
    this.#metrics.observe(operation, 0, count);
  }

  async #read<T>(
    operation: ReadOperation,
    read: () => Promise<T>,
    countOf: (found: T) => number,
  ): Promise<T> {
    const startMs = performance.now();
    const span = startChild(operation);
    let count: number | undefined;
    try {
      const found = await (span === undefined ? read() : span.run(read));
      count = countOf(found);
      this.#watch.answered();
      return found;
    } catch (error) {
      if (error instanceof StorageError && error.code === "STORAGE_UNAVAILABLE") {
        this.#watch.unreachable();
      }
      throw error;
    } finally {
      span?.end(count === undefined);
      this.#metrics.observe(operation, (performance.now() - startMs) / 1_000, count);
    }
  }
}
