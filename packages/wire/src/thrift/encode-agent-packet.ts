import { Agent } from "../gen/thrift/agent.ts";
import { Batch } from "../gen/thrift/tracing.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { CompactWriter } from "./compact-writer.ts";
import { messageTypes, type ThriftProtocol } from "./message-envelope.ts";
import type { ThriftWriter } from "./thrift-writer.ts";

/** A packet as clients send it to the agent: the message `Agent.emitBatch`, ONEWAY, binary in the strict form. */
export function encodeAgentPacket(batch: Batch, protocol: ThriftProtocol): Buffer {
  const { name, arguments: argumentsStruct } = Agent.emitBatch;
  const writer = writerOf(protocol);
  writer.message(name, messageTypes.oneway);
  writer.struct(argumentsStruct, { batch });
  return writer.take();
}

/** A bare struct `Batch`. In the binary protocol it is the body that clients post to `/api/traces`. */
export function encodeThriftBatch(batch: Batch, protocol: ThriftProtocol): Buffer {
  const writer = writerOf(protocol);
  writer.struct(Batch, batch);
  return writer.take();
}

function writerOf(protocol: ThriftProtocol): ThriftWriter {
  return protocol === "compact" ? new CompactWriter() : new BinaryWriter();
}
