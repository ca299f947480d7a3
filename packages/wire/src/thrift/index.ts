export { encodeAgentPacket, encodeThriftBatch } from "./encode-agent-packet.ts";
export type { ThriftProtocol } from "./message-envelope.ts";
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
