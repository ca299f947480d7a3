import type { StorageWatch } from "lifecycle";
import { startChild } from "lifecycle/own-span";
import { StorageError } from "storage/errors";
import { QueryError } from "../query-error.ts";
import type { QueryMetrics, ReadOperation } from "./query-metrics.ts";
import type { PlacedRead, RequestGate } from "./request-gate.ts";

/** The options of a read that concern its place in the gate. */
export type ReadPlace = Partial<PlacedRead>;

/** Reads of some rows by their keys. They take milliseconds, so they do not wait for searches. */
const pointReads: ReadonlySet<ReadOperation> = new Set([
  "get_trace",
  "archive_trace",
  "get_services",
  "get_operations",
]);

/** The watch, metrics and places that all reads share. */
export interface StoreReadsParts {
  /** Receives the outcome of each read: the store answered, or failed. */
  readonly watch: StorageWatch;
  /** Counts and times reads. */
  readonly metrics: QueryMetrics;
  /** Gives places to reads whose request has no place. */
  readonly gate: RequestGate;
  /** The store's limit of bytes in one read, for the error text. */
  readonly maxReadBytes?: number | undefined;
}

/**
 * Counts and times every read of the store, and reports to the watch whether the store answers. A read for a
 * request without a place in the gate waits for one first, so that no endpoint is left out.
 */
export class StoreReads {
  readonly #watch: StorageWatch;
  readonly #metrics: QueryMetrics;

  readonly #gate: RequestGate;
  readonly #maxReadBytes: number | undefined;

  constructor({ watch, metrics, gate, maxReadBytes }: StoreReadsParts) {
    this.#maxReadBytes = maxReadBytes;
    this.#watch = watch;
    this.#gate = gate;
    this.#metrics = metrics;
  }

  /** A read that returns a list, whose length is counted. */
  list<T>(operation: ReadOperation, place: ReadPlace, read: () => Promise<readonly T[]>): Promise<T[]> {
    return this.#read(operation, place, read as () => Promise<T[]>, ({ length }) => length);
  }

  /** A read whose result is not a list, but has a `length`, which is counted. */
  sized<T extends { readonly length: number }>(
    operation: ReadOperation,
    place: ReadPlace,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.#read(operation, place, work, ({ length }) => length);
  }

  /** A read that returns a single answer. */
  one<T>(operation: ReadOperation, place: ReadPlace, read: () => Promise<T>): Promise<T> {
    return this.#read(operation, place, read, () => 1);
  }

  /** Counts an answer from the cache. */
  fromMemory(operation: ReadOperation, count: number): void {
    this.#metrics.observe(operation, 0, count);
  }

  /** Runs a read. If its request has no place yet, the read first waits for a place of the gate. */
  async #read<T>(
    operation: ReadOperation,
    { hasPlace, tenant, signal = new AbortController().signal }: ReadPlace,
    read: () => Promise<T>,
    countOf: (found: T) => number,
  ): Promise<T> {
    if (hasPlace === true) {
      return await this.#observed(operation, read, countOf);
    }
    const gate = pointReads.has(operation) ? this.#gate.traces : this.#gate;
    const leave = await gate.enter(signal, tenant);
    try {
      return await this.#observed(operation, read, countOf);
    } finally {
      leave();
    }
  }

  /** Counts and times a read, and records the read as a span of this process's own trace. */
  async #observed<T>(
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
      throw this.#named(error);
    } finally {
      span?.end(count === undefined);
      this.#metrics.observe(operation, (performance.now() - startMs) / 1_000, count);
    }
  }

  /** Converts the error of a read over the byte limit to a QueryError that names the option. */
  #named(error: unknown): unknown {
    if (!(error instanceof StorageError && error.code === "STORAGE_TOO_LARGE")) {
      return error;
    }
    const value = this.#maxReadBytes ?? 0;
    return new QueryError(
      "QUERY_TOO_LARGE",
      `the spans of the answer are over the limit of ${value} bytes of --query.max-read-size: ask for fewer traces or a shorter time`,
      { limit: { name: "query.max-read-size", value }, cause: error },
    );
  }
}
