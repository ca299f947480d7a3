import { tenantOf } from "../../api/checked-query.ts";
import { metricsReader } from "../../api/metric-series.ts";
import type { TraceStore } from "../../api/trace-store.ts";
import { countSlots } from "./count-slots.ts";
import { callCountsOf, dependenciesOf } from "./dependencies-of.ts";
import { goodCountsOf } from "./good-counts.ts";
import { MemoryAnalysisReader } from "./memory-analysis-reader.ts";
import { memoryArchive } from "./memory-archive.ts";
import { MemoryAttributeCatalog } from "./memory-attribute-catalog.ts";
import { MemorySamplingStore } from "./memory-sampling-store.ts";
import { MemorySpanReader } from "./memory-span-reader.ts";
import { rankedRates } from "./ranked-rates.ts";
import { readTenantSpans } from "./read-tenant-spans.ts";
import { spanCountsOf } from "./span-counts.ts";
import { StoredTenants } from "./stored-tenants.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";
import { MemoryTraceQlReader } from "./traceql/memory-traceql-reader.ts";

export interface MemoryStoreOptions {
  /** Maximum number of traces for each tenant; the traces that arrived first are dropped. Default: 10,000. */
  readonly maxTraces?: number;
}

/**
 * A store for tests and demos; its data is lost when the process ends. A trace may have any number of spans.
 */
export function openMemoryStore(options: MemoryStoreOptions = {}): TraceStore {
  const maxTraces = options.maxTraces ?? 10_000;
  const stored = new StoredTenants(maxTraces);
  const reader = new MemorySpanReader(stored);
  return {
    reader,
    writer: {
      async writeSpans(rows, { deduplicationToken, signal }) {
        throwIfAborted(signal);
        stored.add(readTenantSpans(rows), deduplicationToken);
      },
    },
    dependencies: {
      async getDependencies(query, options = {}) {
        throwIfAborted(options.signal);
        return dependenciesOf(stored.tracesOf(tenantOf(options)).traces(), query);
      },
    },
    metrics: {
      ...metricsReader(async (query, slots, _byBucket, options) => {
        throwIfAborted(options.signal);
        return countSlots(stored.tracesOf(tenantOf(options)).spans(), query, slots);
      }),
      async getRankedRates(query, options = {}) {
        throwIfAborted(options.signal);
        return rankedRates(stored.tracesOf(tenantOf(options)).spans(), query);
      },
      async getGoodCounts(query, options = {}) {
        throwIfAborted(options.signal);
        return goodCountsOf(stored.tracesOf(tenantOf(options)).spans(), query);
      },
      async getSpanCounts(query, options = {}) {
        throwIfAborted(options.signal);
        return spanCountsOf(stored.tracesOf(tenantOf(options)).spans(), query);
      },
      async getCallCounts(query, options = {}) {
        throwIfAborted(options.signal);
        return callCountsOf(stored.tracesOf(tenantOf(options)).traces(), query);
      },
    },
    archive: memoryArchive(maxTraces),
    analysis: new MemoryAnalysisReader(stored, reader),
    catalog: new MemoryAttributeCatalog(stored),
    traceql: new MemoryTraceQlReader(stored),
    sampling: new MemorySamplingStore(),
    async ready(signal) {
      throwIfAborted(signal);
    },
    async close() {},
  };
}
