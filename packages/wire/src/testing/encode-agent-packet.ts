import { Agent } from "../gen/thrift/agent.ts";
import { Batch } from "../gen/thrift/tracing.ts";
import { messageTypes, type ThriftProtocol } from "../thrift/message-envelope.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { CompactWriter } from "./compact-writer.ts";
import type { ThriftWriter } from "./thrift-writer.ts";

/**
 * Encodes a packet for the agent as clients send it, which is the message `Agent.emitBatch` with the type ONEWAY. The
 * binary protocol uses the strict form.
 */
export function encodeAgentPacket(batch: Batch, protocol: ThriftProtocol): Buffer {
  const { name, arguments: argumentsStruct } = Agent.emitBatch;
  const writer = writerOf(protocol);
  writer.message(name, messageTypes.oneway);
  writer.struct(argumentsStruct, { batch });
  return writer.take();
}

/** Encodes a struct `Batch` without an envelope. In the binary protocol, it is the body of a POST to `/api/traces`. */
export function encodeThriftBatch(batch: Batch, protocol: ThriftProtocol): Buffer {
  const writer = writerOf(protocol);
  writer.struct(Batch, batch);
  return writer.take();
}

function writerOf(protocol: ThriftProtocol): ThriftWriter {
  return protocol === "compact" ? new CompactWriter() : new BinaryWriter();
}
