import type { AnalysisReader } from "./analysis-reader.ts";
import type { ArchiveStore } from "./archive-store.ts";
import type { AttributeCatalog } from "./attribute-catalog.ts";
import type { DependencyReader } from "./dependency-reader.ts";
import type { MetricsReader } from "./metrics-reader.ts";
import type { SamplingStore } from "./sampling-store.ts";
import { StorageError } from "./storage-error.ts";
import type { TraceQlReader } from "./traceql-reader.ts";

/** The parts of a store that an engine may be without. */
export interface OptionalParts {
  readonly dependencies: DependencyReader;
  readonly metrics: MetricsReader;
  readonly archive: ArchiveStore;
  readonly analysis: AnalysisReader;
  readonly traceql: TraceQlReader;
  readonly catalog: AttributeCatalog;
  readonly sampling: SamplingStore;
}

/**
 * Stands in for the parts that an engine does not support: every call throws STORAGE_UNSUPPORTED.
 * @param reason for the error's message, such as `the remote-storage API has no analysis`
 */
export function unsupported(reason: string): OptionalParts {
  const refuse = async (): Promise<never> => {
    throw new StorageError("STORAGE_UNSUPPORTED", reason);
  };
  return {
    dependencies: { getDependencies: refuse },
    metrics: {
      getCallRates: refuse,
      getErrorRates: refuse,
      getLatencies: refuse,
      getRankedRates: refuse,
      getSpanCounts: refuse,
      getCallCounts: refuse,
    },
    archive: { reader: { getTraces: refuse }, writer: { writeSpans: refuse } },
    analysis: {
      getHeatMap: refuse,
      compareAttributes: refuse,
      comparePopulations: refuse,
      getDurationRank: refuse,
      getDurationRanks: refuse,
      getTopOperations: refuse,
      getCriticalPath: refuse,
      tail: refuse,
    },
    catalog: { names: refuse, values: refuse },
    traceql: { search: refuse, metrics: refuse, groups: refuse },
    sampling: {
      insertThroughput: refuse,
      getThroughput: refuse,
      insertProbabilities: refuse,
      latestProbabilities: refuse,
      acquireLease: refuse,
      releaseLease: refuse,
    },
  };
}
