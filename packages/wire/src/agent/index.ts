export type { ThriftProtocol } from "../thrift/message-envelope.ts";
export type { AgentBatch, AgentClientStats } from "./agent-batch.ts";
export {
  AgentPacketReader,
  defaultMaxPacketBytes,
} from "./agent-packet-reader.ts";
