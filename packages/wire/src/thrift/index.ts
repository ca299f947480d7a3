export { decodeAgentPacket, defaultMaxPacketBytes, type ThriftProtocol } from "./decode-agent-packet.ts";
export { encodeAgentPacket, encodeThriftBatch } from "./encode-agent-packet.ts";
export { thriftBatchToApiV2 } from "./thrift-batch-to-api-v2.ts";
export { ThriftBatchTranscoder } from "./thrift-batch-transcoder.ts";
export type {
  I64,
  ThriftBatch,
  ThriftClientStats,
  ThriftLog,
  ThriftProcess,
  ThriftSpan,
  ThriftSpanRef,
  ThriftTag,
} from "./thrift-structs.ts";
