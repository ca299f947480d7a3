import type { Operation, ReadOptions, SpanReader, Trace, TraceQuery } from "storage/api";
import { StorageError } from "storage/api";
import type { SpanKind } from "wire/model";
import type { QueryMetrics, ReadOperation } from "./query-metrics.ts";
import type { StorageWatch } from "./storage-watch.ts";

/** Traces that a search returns when the client names no limit. */
export const defaultSearchLimit = 100;

export interface QueryServiceParts {
  readonly reader: SpanReader;
  readonly watch: StorageWatch;
  readonly metrics: QueryMetrics;
}

/**
 * The only caller of the store in this process; HTTP and gRPC both ask here. Every read is counted and timed, and
 * tells the watch whether the store answers. Every method throws `StorageError`; it sees the spans of one tenant, and the
 * signal ends the work in the store.
 */
export class QueryService {
  readonly #reader: SpanReader;
  readonly #watch: StorageWatch;
  readonly #metrics: QueryMetrics;

  constructor({ reader, watch, metrics }: QueryServiceParts) {
    this.#reader = reader;
    this.#watch = watch;
    this.#metrics = metrics;
  }

  /** The traces with these ids (32 hex digits each), in the order asked; unknown ids are left out. */
  getTraces(traceIds: readonly string[], options: ReadOptions): Promise<Trace[]> {
    return this.#read("get_trace", () => this.#reader.getTraces(traceIds, options));
  }

  /** Whole traces, newest first. */
  findTraces(query: TraceQuery, options: ReadOptions): Promise<Trace[]> {
    return this.#read("find_traces", () => this.#reader.findTraces(query, options));
  }

  /** Sorted by name. */
  getServices(options: ReadOptions): Promise<string[]> {
    return this.#read("get_services", () => this.#reader.getServices(options));
  }

  /** Sorted by name, then kind. @param spanKind keeps one kind */
  getOperations(service: string, spanKind: SpanKind | undefined, options: ReadOptions): Promise<Operation[]> {
    const query = spanKind === undefined ? { service } : { service, spanKind };
    return this.#read("get_operations", () => this.#reader.getOperations(query, options));
  }

  async #read<T>(operation: ReadOperation, read: () => Promise<T[]>): Promise<T[]> {
    const startMs = performance.now();
    let count: number | undefined;
    try {
      const found = await read();
      count = found.length;
      this.#watch.answered();
      return found;
    } catch (error) {
      if (error instanceof StorageError && error.code === "STORAGE_UNAVAILABLE") {
        this.#watch.unreachable();
      }
      throw error;
    } finally {
      this.#metrics.observe(operation, (performance.now() - startMs) / 1_000, count);
    }
  }
}
