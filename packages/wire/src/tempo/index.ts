export type { KeyValue } from "../gen/opentelemetry/proto/common/v1/common.ts";
export {
  type MetadataMetrics,
  PartialStatus,
  type QueryInstantRequest,
  type QueryInstantResponse,
  type QueryRangeRequest,
  type QueryRangeResponse,
  type SearchMetrics,
  type SearchRequest,
  type SearchResponse,
  type SearchTagsRequest,
  type SearchTagsResponse,
  type SearchTagsV2Response,
  type SearchTagValuesRequest,
  type SearchTagValuesResponse,
  type SearchTagValuesV2Response,
  type SpanSet,
  type TraceSearchMetadata,
} from "../gen/tempopb/tempo.ts";
export { type StreamingQuerierHandlers, streamingQuerier } from "./streaming-querier.ts";
