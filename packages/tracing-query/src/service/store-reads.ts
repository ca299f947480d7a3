import { type StorageWatch, startChild } from "lifecycle";
import { StorageError } from "storage/api";
import type { QueryMetrics, ReadOperation } from "./query-metrics.ts";

/** Counts and times every read of the store, and reports to the watch whether the store answers. */
export class StoreReads {
  readonly #watch: StorageWatch;
  readonly #metrics: QueryMetrics;

  constructor({ watch, metrics }: { readonly watch: StorageWatch; readonly metrics: QueryMetrics }) {
    this.#watch = watch;
    this.#metrics = metrics;
  }

  /** A read that returns a list, whose length is counted. */
  list<T>(operation: ReadOperation, read: () => Promise<readonly T[]>): Promise<T[]> {
    return this.#read(operation, read as () => Promise<T[]>, ({ length }) => length);
  }

  /** A read that returns no list, but has a length, which is counted. */
  sized<T extends { readonly length: number }>(operation: ReadOperation, work: () => Promise<T>): Promise<T> {
    return this.#read(operation, work, ({ length }) => length);
  }

  /** A read that returns a single answer. */
  one<T>(operation: ReadOperation, read: () => Promise<T>): Promise<T> {
    return this.#read(operation, read, () => 1);
  }

  /** Counts an answer from the cache. */
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
