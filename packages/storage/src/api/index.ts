export type {
  CalculatedProbabilities,
  OperationProbability,
  OperationThroughput,
  SamplingStore,
} from "./sampling-store.ts";
export type { Operation, ReadOptions, SpanReader, Trace, TraceQuery } from "./span-reader.ts";
export type { SpanWriter, WriteOptions } from "./span-writer.ts";
export { StorageError, type StorageErrorCode } from "./storage-error.ts";
export type { TraceStore } from "./trace-store.ts";
