import type {
  handleServerStreamingCall,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import {
  type QueryInstantRequest,
  type QueryInstantResponse,
  type QueryRangeRequest,
  type QueryRangeResponse,
  type SearchRequest,
  type SearchResponse,
  type SearchTagsRequest,
  type SearchTagsResponse,
  type SearchTagsV2Response,
  type SearchTagValuesRequest,
  type SearchTagValuesResponse,
  type SearchTagValuesV2Response,
  StreamingQuerierService,
} from "../gen/tempopb/tempo.ts";

export interface StreamingQuerierHandlers extends UntypedServiceImplementation {
  search: handleServerStreamingCall<SearchRequest, SearchResponse>;
  searchTags: handleServerStreamingCall<SearchTagsRequest, SearchTagsResponse>;
  searchTagsV2: handleServerStreamingCall<SearchTagsRequest, SearchTagsV2Response>;
  searchTagValues: handleServerStreamingCall<SearchTagValuesRequest, SearchTagValuesResponse>;
  searchTagValuesV2: handleServerStreamingCall<SearchTagValuesRequest, SearchTagValuesV2Response>;
  metricsQueryRange: handleServerStreamingCall<QueryRangeRequest, QueryRangeResponse>;
  metricsQueryInstant: handleServerStreamingCall<QueryInstantRequest, QueryInstantResponse>;
}

/** `tempopb.StreamingQuerier`: the service that Grafana's data source for Tempo calls if its streaming is enabled. */
export const streamingQuerier: ServiceDefinition<StreamingQuerierHandlers> = StreamingQuerierService;
