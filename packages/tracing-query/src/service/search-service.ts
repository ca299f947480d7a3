import type {
  AttributeCatalog,
  AttributeName,
  AttributeNamesQuery,
  AttributeValuesQuery,
  CatalogValue,
  ReadOptions,
  TraceQlGroup,
  TraceQlMetrics,
  TraceQlMetricsQuery,
  TraceQlReader,
  TraceQlSearch,
  TraceQlSearchQuery,
} from "storage/api";
import { withinTime } from "storage/asked-time";
import type { StoreReads } from "./store-reads.ts";

/**
 * Searches that Jaeger does not have: TraceQL, and the names and values to search for. Every method
 * throws `StorageError`.
 */
export class SearchService {
  readonly #traceql: TraceQlReader;
  readonly #catalog: AttributeCatalog;
  readonly #reads: StoreReads;

  constructor(traceql: TraceQlReader, catalog: AttributeCatalog, reads: StoreReads) {
    this.#traceql = traceql;
    this.#catalog = catalog;
    this.#reads = reads;
  }

  /** Traces that a TraceQL query selects, newest first. */
  search(query: TraceQlSearchQuery, options: ReadOptions): Promise<TraceQlSearch> {
    return this.#reads.one("traceql_search", options, () =>
      this.#traceql.search(query, withinTime(options, query.range)),
    );
  }

  /** Series over time of a TraceQL metrics query. */
  metrics(query: TraceQlMetricsQuery, options: ReadOptions): Promise<TraceQlMetrics> {
    return this.#reads.one("traceql_metrics", options, () =>
      this.#traceql.metrics(query, withinTime(options, query.range)),
    );
  }

  /** Groups of spans with their durations, in one read. */
  groups(query: Pick<TraceQlMetricsQuery, "query" | "range">, options: ReadOptions): Promise<TraceQlGroup[]> {
    return this.#reads.list("traceql_groups", options, () =>
      this.#traceql.groups(query, withinTime(options, query.range)),
    );
  }

  /** Names of attributes and intrinsics, by scope, then name. */
  attributeNames(query: AttributeNamesQuery, options: ReadOptions): Promise<AttributeName[]> {
    return this.#reads.list("attribute_names", options, () =>
      this.#catalog.names(query, withinTime(options, query.range)),
    );
  }

  /** Values of one attribute or intrinsic, most frequent first. */
  attributeValues(query: AttributeValuesQuery, options: ReadOptions): Promise<CatalogValue[]> {
    return this.#reads.list("attribute_values", options, () =>
      this.#catalog.values(query, withinTime(options, query.range)),
    );
  }
}
