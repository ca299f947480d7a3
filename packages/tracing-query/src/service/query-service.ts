import { createHash } from "node:crypto";
import type { StorageWatch } from "lifecycle";
import type {
  AnalysisReader,
  ArchiveStore,
  AttributeCatalog,
  DependencyLink,
  DependencyQuery,
  DependencyReader,
  LatencyQuery,
  MetricSeries,
  MetricsQuery,
  RankedRates,
  RankedRatesQuery,
  ReadOptions,
  SpanReader,
  TraceQlReader,
} from "storage/api";
import { withinTime } from "storage/asked-time";
import { isUnsupported } from "storage/errors";
import type { AccessRead } from "../access/access.ts";
import { QueryError } from "../query-error.ts";
import { AnalysisService } from "./analysis-service.ts";
import { archiveBlocks } from "./archive-blocks.ts";
import type { CallCounter } from "./call-counters.ts";
import type { LargeTraceSemaphore } from "./large-trace-semaphore.ts";
import { metricsQueryOf, minStepMs, timeOfMetrics } from "./metrics-request.ts";
import { NameService } from "./name-service.ts";
import type { ReadCounters } from "./prometheus-counters.ts";
import type { QueryMetrics, ReadOperation } from "./query-metrics.ts";
import type { RedMetrics } from "./red-metrics.ts";
import type { RequestGate } from "./request-gate.ts";
import { SearchService } from "./search-service.ts";
import type { SpanCounter } from "./span-counters.ts";
import { StoreReads } from "./store-reads.ts";
import { TraceService } from "./trace-service.ts";

const noServices = {
  services: [],
  groupByOperation: false,
  spanKinds: undefined,
  endUnixMs: undefined,
  lookbackMs: undefined,
  stepMs: undefined,
  ratePerMs: undefined,
};

/** A part that an engine lacks throws STORAGE_UNSUPPORTED when called. */
export interface QueryServiceParts {
  /** Traces by id and by search. */
  readonly reader: SpanReader;
  /** Calls between services. */
  readonly dependencies: DependencyReader;
  /** Traces that a user chose to keep. */
  readonly archive: ArchiveStore;
  /** Heat maps, comparisons, exceptions and other sums over many traces. */
  readonly analysis: AnalysisReader;
  readonly traceql: TraceQlReader;
  /** Names and values of attributes, for completion. */
  readonly catalog: AttributeCatalog;
  /** The source of rates, errors and durations: the store, or Prometheus. */
  readonly redMetrics: RedMetrics;
  /** Counters of the store's spans. */
  readonly readSpanCounters: ReadCounters<SpanCounter>;
  /** Counters of calls between services. */
  readonly readCallCounters: ReadCounters<CallCounter>;
  /** Maximum age of cached names in milliseconds; 0 disables the cache. */
  readonly namesMaxAgeMs: number;
  /** Couples the health of the process to the store. A failed read triggers an immediate check. */
  readonly watch: StorageWatch;
  readonly metrics: QueryMetrics;
  /** Memory for large traces. */
  readonly room: LargeTraceSemaphore;
  /** Gives places to reads whose request has no place yet. */
  readonly gate: RequestGate;
  /** The store's limit of bytes in one read, for the error text. */
  readonly maxReadBytes?: number | undefined;
}

/**
 * All endpoints of HTTP and gRPC read the store through this class. Every read is counted, timed and reported
 * to the watch. Every method reads the spans of one tenant, and its signal aborts the work in the store.
 * Methods throw `StorageError`, and `QueryError` where noted.
 */
export class QueryService {
  /** Whole traces, by id and by search. */
  readonly traces: TraceService;
  /** Names of services and operations. */
  readonly names: NameService;
  /** Queries over many spans. */
  readonly analysis: AnalysisService;
  /** Searches that Jaeger does not have. */
  readonly search: SearchService;
  readonly #parts: QueryServiceParts;
  readonly #reads: StoreReads;

  constructor(parts: QueryServiceParts) {
    this.#parts = parts;
    this.#reads = new StoreReads(parts);
    this.traces = new TraceService(parts, this.#reads);
    this.names = new NameService(parts.reader, this.#reads, parts.namesMaxAgeMs);
    this.analysis = new AnalysisService(parts.analysis, this.#reads);
    this.search = new SearchService(parts.traceql, parts.catalog, this.#reads);
  }

  /** Calls between services; each pair of services once. */
  async getDependencies(query: DependencyQuery, options: ReadOptions): Promise<DependencyLink[]> {
    if (query.endUnixNano < query.startUnixNano) {
      return [];
    }
    const links = await this.#reads.list("get_dependencies", options, () =>
      this.#parts.dependencies.getDependencies(query, withinTime(options, query)),
    );
    const sums = new Map<string, DependencyLink>();
    for (const link of links) {
      const key = JSON.stringify([link.parent, link.child]);
      const callCount = (sums.get(key)?.callCount ?? 0) + link.callCount;
      sums.set(key, { ...link, callCount });
    }
    return [...sums.values()];
  }

  /** Calls a second. @throws QueryError QUERY_NOT_SUPPORTED when the store counts no calls */
  getCallRates(query: MetricsQuery, options: ReadOptions): Promise<MetricSeries[]> {
    return this.#readMetrics("get_call_rates", options, (red) =>
      red.getCallRates(query, withinTime(options, timeOfMetrics(query))),
    );
  }

  /** Shares of calls that failed. @throws QueryError QUERY_NOT_SUPPORTED */
  getErrorRates(query: MetricsQuery, options: ReadOptions): Promise<MetricSeries[]> {
    return this.#readMetrics("get_error_rates", options, (red) =>
      red.getErrorRates(query, withinTime(options, timeOfMetrics(query))),
    );
  }

  /** Durations in milliseconds, or in the unit of Prometheus's histogram. @throws QueryError QUERY_NOT_SUPPORTED */
  getLatencies(query: LatencyQuery, options: ReadOptions): Promise<MetricSeries[]> {
    return this.#readMetrics("get_latencies", options, (red) =>
      red.getLatencies(query, withinTime(options, timeOfMetrics(query))),
    );
  }

  /** One page of services or operations, ranked by their calls. @throws QueryError QUERY_NOT_SUPPORTED */
  getRankedRates(query: RankedRatesQuery, options: ReadOptions): Promise<RankedRates> {
    return this.#unlessUnsupported(() =>
      this.#reads.one("get_ranked_rates", options, () =>
        this.#parts.redMetrics.getRankedRates(query, options),
      ),
    );
  }

  /** Counters of all spans since this process began, for Prometheus. @throws QueryError QUERY_NOT_SUPPORTED */
  getSpanCounters(options: ReadOptions): Promise<SpanCounter[]> {
    return this.#unlessUnsupported(() =>
      this.#reads.list("get_span_counters", options, () => this.#parts.readSpanCounters(options)),
    );
  }

  /** Counters of all calls between services since this process began. @throws QueryError QUERY_NOT_SUPPORTED */
  getCallCounters(options: ReadOptions): Promise<CallCounter[]> {
    return this.#unlessUnsupported(() =>
      this.#reads.list("get_call_counters", options, () => this.#parts.readCallCounters(options)),
    );
  }

  /** Smallest step between two points, in milliseconds. @throws QueryError QUERY_NOT_SUPPORTED */
  async getMinStepMs(options: ReadOptions): Promise<number> {
    // An empty query: a store without this ability refuses it immediately.
    await this.#metricsOf((red) => red.getCallRates(metricsQueryOf(noServices, Date.now()), options)).catch(
      (error: unknown) => {
        if (error instanceof QueryError) {
          throw error;
        }
      },
    );
    return minStepMs;
  }

  /** True when the store or Prometheus has call rates. The check sends only an empty query. */
  async hasMetrics(): Promise<boolean> {
    return await this.getMinStepMs({}).then(
      () => true,
      () => false,
    );
  }

  /**
   * Copies a trace to the archive. The copy stays when the store removes the trace. A second call changes
   * nothing.
   * @throws QueryError QUERY_TRACE_NOT_FOUND; QUERY_NOT_CONFIGURED when the store has no archive
   */
  async archiveTrace(traceId: string, options: ReadOptions & AccessRead): Promise<void> {
    if ((await this.traces.hasArchive(options)) === false) {
      throw noArchive();
    }
    // Hidden values are archived too; whoever may see them finds them there.
    const { access } = options;
    const whole = access === undefined ? options : { ...options, access: { ...access, hidden: undefined } };
    const [trace] = await this.traces.getPackedTraces([traceId], whole);
    if (trace === undefined) {
      throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found");
    }
    const { writer } = this.#parts.archive;
    const { tenant = "", signal } = options;
    await this.#reads
      .sized("archive_trace", options, async () => {
        for (const rows of archiveBlocks(trace, tenant)) {
          await writer.writeSpans(rows, {
            deduplicationToken: createHash("sha256").update(rows.bytes).digest("hex"),
            ...(signal === undefined ? {} : { signal }),
          });
        }
        return trace.spans;
      })
      .catch((error: unknown) => {
        throw isUnsupported(error) ? noArchive() : error;
      });
  }

  #readMetrics(
    operation: ReadOperation,
    options: ReadOptions,
    read: (red: RedMetrics) => Promise<MetricSeries[]>,
  ): Promise<MetricSeries[]> {
    return this.#metricsOf((red) => this.#reads.list(operation, options, () => read(red)));
  }

  #metricsOf(read: (red: RedMetrics) => Promise<MetricSeries[]>): Promise<MetricSeries[]> {
    return this.#unlessUnsupported(() => read(this.#parts.redMetrics));
  }

  async #unlessUnsupported<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw isUnsupported(error)
        ? new QueryError("QUERY_NOT_SUPPORTED", "metrics querying is currently disabled", { cause: error })
        : error;
    }
  }
}

function noArchive(): QueryError {
  return new QueryError("QUERY_NOT_CONFIGURED", "archive span storage was not configured");
}
