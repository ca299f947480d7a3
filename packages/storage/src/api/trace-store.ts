import type { AnalysisReader } from "./analysis-reader.ts";
import type { ArchiveStore } from "./archive-store.ts";
import type { AttributeCatalog } from "./attribute-catalog.ts";
import type { DependencyReader } from "./dependency-reader.ts";
import type { MetricsReader } from "./metrics-reader.ts";
import type { SamplingStore } from "./sampling-store.ts";
import type { SpanReader } from "./span-reader.ts";
import type { SpanWriter } from "./span-writer.ts";
import type { TraceQlReader } from "./traceql-reader.ts";

/** An open engine. Parts that an engine cannot serve throw STORAGE_UNSUPPORTED, whatever they are asked. */
export interface TraceStore {
  readonly reader: SpanReader;
  readonly writer: SpanWriter;
  readonly dependencies: DependencyReader;
  readonly metrics: MetricsReader;
  readonly archive: ArchiveStore;
  readonly analysis: AnalysisReader;
  readonly traceql: TraceQlReader;
  /** What there is to search for. */
  readonly catalog: AttributeCatalog;
  /** What collectors share for adaptive sampling. */
  readonly sampling: SamplingStore;
  /** Resolves when the store answers and its schema is the one this code wants. @throws StorageError */
  ready(signal?: AbortSignal): Promise<void>;
  /** What is wrong with a store that is ready all the same, for people, as `ready` found it last. Absent: it is ready or it is not. */
  trouble?(): readonly string[];
  close(): Promise<void>;
}
