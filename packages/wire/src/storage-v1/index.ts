export {
  type CapabilitiesResponse,
  type GetOperationsResponse,
  SpansResponseChunk,
  type TraceQueryParameters,
  WriteSpanRequest,
  type WriteSpanResponse,
} from "../gen/tracing/storage/v1/storage.ts";
export { encodeSpanChunks } from "./span-chunks.ts";
export { WriteSpanTranscoder } from "./write-span-transcoder.ts";
