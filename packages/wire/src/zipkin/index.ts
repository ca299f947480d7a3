export { encodeZipkinV1Json, encodeZipkinV1Thrift } from "./encode-zipkin-v1.ts";
export { encodeZipkinV2Json, encodeZipkinV2Proto } from "./encode-zipkin-v2.ts";
export { zipkinCoreSpansToApiV2 } from "./zipkin-core-spans-to-api-v2.ts";
export { type ZipkinV1JsonOptions, ZipkinV1JsonTranscoder } from "./zipkin-v1-json-transcoder.ts";
export { ZipkinV1ThriftTranscoder } from "./zipkin-v1-thrift-transcoder.ts";
export { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
export { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";
