import type { AnalysisReader } from "./analysis-reader.ts";
import type { ArchiveStore } from "./archive-store.ts";
import type { AttributeCatalog } from "./attribute-catalog.ts";
import type { DependencyReader } from "./dependency-reader.ts";
import type { MetricsReader } from "./metrics-reader.ts";
import type { SamplingStore } from "./sampling-store.ts";
import type { SpanReader } from "./span-reader.ts";
import type { SpanWriter } from "./span-writer.ts";
import type { TraceQlReader } from "./traceql-reader.ts";

/** An open engine. Parts that the engine does not support throw STORAGE_UNSUPPORTED at every call. */
export interface TraceStore {
  /** Traces, services and operations. */
  readonly reader: SpanReader;
  readonly writer: SpanWriter;
  /** Calls between services. */
  readonly dependencies: DependencyReader;
  /** Rates and durations made from spans. */
  readonly metrics: MetricsReader;
  /** Traces that users keep without a time limit. */
  readonly archive: ArchiveStore;
  /** Heat maps, comparisons and rankings. */
  readonly analysis: AnalysisReader;
  /** Queries in TraceQL. */
  readonly traceql: TraceQlReader;
  /** Names and values of attributes, for completion. */
  readonly catalog: AttributeCatalog;
  /** Data that collectors share for adaptive sampling. */
  readonly sampling: SamplingStore;
  /** Resolves when the store answers and has the schema of this version. @throws StorageError */
  ready(signal?: AbortSignal): Promise<void>;
  /**
   * Faults that the last call of `ready` found although the store works, as sentences for users. Absent: the engine
   * reports no faults.
   */
  trouble?(): readonly string[];
  /** Closes the connections. */
  close(): Promise<void>;
}
