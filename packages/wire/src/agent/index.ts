export type { AgentBatch, AgentClientStats } from "./agent-batch.ts";
export {
  AgentPacketReader,
  type AgentPacketReaderOptions,
  defaultMaxPacketBytes,
  type ThriftProtocol,
} from "./agent-packet-reader.ts";
