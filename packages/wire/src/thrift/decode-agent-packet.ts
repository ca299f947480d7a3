import { WireError } from "../errors.ts";
import { emitBatchArguments } from "./agent-idl.ts";
import { BinaryChecker } from "./binary-checker.ts";
import { readBinaryEnvelope } from "./binary-message.ts";
import { readCompactEnvelope } from "./compact-message.ts";
import { CompactReader } from "./compact-reader.ts";
import { compactStructReader } from "./compact-struct.ts";
import { messageTypes } from "./message-envelope.ts";
import type { ThriftBatch } from "./thrift-structs.ts";

/** How a packet is written: compact on 6831, binary on 6832. */
export type ThriftProtocol = "compact" | "binary";

/** Largest packet that is read unless configured otherwise: what clients keep under, as in the public model. */
export const defaultMaxPacketBytes = 65_000;

const readCompactArguments = compactStructReader(emitBatchArguments);

/**
 * Reads one UDP packet of a client: the message `Agent.emitBatch`, sent as CALL or ONEWAY. Bytes after it are
 * ignored. Strings that are not UTF-8 get U+FFFD in place of what is not.
 * @param maxPacketBytes 65,000 by default
 * @throws WireError WIRE_TOO_LARGE; WIRE_TRUNCATED; WIRE_TOO_DEEP (64 levels); WIRE_MALFORMED, also for the messages
 *   of other methods: `emitZipkinBatch` is not supported yet
 */
export function decodeAgentPacket(
  packet: Uint8Array,
  protocol: ThriftProtocol,
  maxPacketBytes = defaultMaxPacketBytes,
): ThriftBatch {
  if (packet.length > maxPacketBytes) {
    throw new WireError(
      "WIRE_TOO_LARGE",
      `packet of ${packet.length} bytes is over maxPacketBytes ${maxPacketBytes}`,
    );
  }
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  const { method, type, end } =
    protocol === "compact" ? readCompactEnvelope(bytes) : readBinaryEnvelope(bytes);
  if (type !== messageTypes.call && type !== messageTypes.oneway) {
    throw new WireError("WIRE_MALFORMED", `message type ${type} is neither CALL nor ONEWAY`);
  }
  if (method === "emitZipkinBatch") {
    throw new WireError("WIRE_MALFORMED", "emitZipkinBatch: Zipkin spans over UDP are not supported yet");
  }
  if (method !== "emitBatch") {
    throw new WireError("WIRE_MALFORMED", `unknown method ${JSON.stringify(method.slice(0, 64))}`);
  }
  const read = protocol === "compact" ? readCompact(bytes, end) : readBinary(bytes, end);
  return (read as { batch: ThriftBatch }).batch;
}

function readCompact(bytes: Buffer, offset: number): unknown {
  return readCompactArguments(new CompactReader(bytes, offset));
}

function readBinary(bytes: Buffer, offset: number): unknown {
  new BinaryChecker(bytes, offset).checkStruct();
  const { err, value } = emitBatchArguments.rw.readFrom(bytes, offset);
  if (err !== null && err !== undefined) {
    throw new WireError("WIRE_MALFORMED", err.message, { cause: err });
  }
  return value;
}
