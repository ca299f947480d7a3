export type {
  Batch as ThriftBatch,
  Span as ThriftSpan,
  Tag as ThriftTag,
} from "../gen/thrift/tracing.ts";
export type { I64 } from "./i64.ts";

export { ThriftBatchTranscoder } from "./thrift-batch-transcoder.ts";
