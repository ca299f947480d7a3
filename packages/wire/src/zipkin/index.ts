export { ZipkinV1JsonTranscoder } from "./zipkin-v1-json-transcoder.ts";
export { ZipkinV1ThriftTranscoder } from "./zipkin-v1-thrift-transcoder.ts";
export { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
export { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";
