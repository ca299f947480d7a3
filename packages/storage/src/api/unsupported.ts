import type { AnalysisReader } from "./analysis-reader.ts";
import type { ArchiveStore } from "./archive-store.ts";
import type { AttributeCatalog } from "./attribute-catalog.ts";
import type { DependencyReader } from "./dependency-reader.ts";
import type { MetricsReader } from "./metrics-reader.ts";
import type { SamplingStore } from "./sampling-store.ts";
import { StorageError } from "./storage-error.ts";
import type { TraceQlReader } from "./traceql-reader.ts";

/** The parts of a store that an engine may lack. */
export interface OptionalParts {
  /** Calls between services. */
  readonly dependencies: DependencyReader;
  /** Rates, errors and durations by service and operation. */
  readonly metrics: MetricsReader;
  /** Traces that users keep without a time limit. */
  readonly archive: ArchiveStore;
  /** Heat maps, comparisons, exceptions and other sums over many traces. */
  readonly analysis: AnalysisReader;
  readonly traceql: TraceQlReader;
  /** Names and values of attributes, for completion. */
  readonly catalog: AttributeCatalog;
  /** Throughput and probabilities of adaptive sampling, which collectors share. */
  readonly sampling: SamplingStore;
}

/**
 * Creates the parts that an engine lacks: every call of them throws STORAGE_UNSUPPORTED.
 * @param reason text of the error, such as `the remote-storage API has no analysis`
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
      getGoodCounts: refuse,
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
