import type { SamplingStore } from "./sampling-store.ts";
import type { SpanReader } from "./span-reader.ts";
import type { SpanWriter } from "./span-writer.ts";

/** An open engine. */
export interface TraceStore {
  readonly reader: SpanReader;
  readonly writer: SpanWriter;
  /** What collectors share for adaptive sampling. */
  readonly sampling: SamplingStore;
  /** Resolves when the store answers and its schema is the one this code wants. @throws StorageError */
  ready(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
