export { PostSpansRequest, PostSpansResponse } from "../gen/tracing/api_v2/collector.ts";
export {
  Batch,
  type KeyValue,
  Process,
  Span as ApiV2Span,
  type SpanRef,
  SpanRefType,
  ValueType,
} from "../gen/tracing/api_v2/model.ts";
export type {
  SpansResponseChunk,
  TraceQueryParameters,
} from "../gen/tracing/api_v2/query.ts";
export {
  type OperationSamplingStrategy,
  type PerOperationSamplingStrategies,
  SamplingStrategyParameters,
  SamplingStrategyResponse,
  SamplingStrategyType,
} from "../gen/tracing/api_v2/sampling.ts";
export { fromApiV2Batch } from "./from-api-v2-batch.ts";
export { fromStoredApiV2Spans } from "./from-stored-api-v2-spans.ts";
export { parseTraceId, traceIdText } from "./id-texts.ts";
export { binaryTag, boolTag, float64Tag, int64Tag, stringTag } from "./tags.ts";
export { toApiV2Span } from "./to-api-v2-span.ts";
export { toStoredApiV2Span } from "./to-stored-api-v2-span.ts";
