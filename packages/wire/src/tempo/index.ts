export type { KeyValue } from "../gen/opentelemetry/proto/common/v1/common.ts";
export {
  type MetadataMetrics,
  PartialStatus,
  type QueryInstantResponse,
  type QueryRangeResponse,
  type SearchMetrics,
  type SearchRequest,
  type SearchResponse,
  type SearchTagsRequest,
  type SearchTagValuesRequest,
  type SpanSet,
  type TraceSearchMetadata,
} from "../gen/tempopb/tempo.ts";
export { type StreamingQuerierHandlers, streamingQuerier } from "./streaming-querier.ts";
