export type { ThriftProtocol } from "../thrift/message-envelope.ts";
export type { AgentBatch, AgentClientStats } from "./agent-batch.ts";
export {
  AgentPacketReader,
  type AgentPacketReaderOptions,
  defaultMaxPacketBytes,
} from "./agent-packet-reader.ts";
