/// <reference path="./thriftrw.d.ts" />
import type { ThriftStruct, ThriftType } from "thriftrw";
import { batchStruct, emitBatchArguments } from "./agent-idl.ts";
import { compactProtocolId, compactVersion } from "./compact-message.ts";
import { compactTypes } from "./compact-reader.ts";
import { compactTypeOf } from "./compact-struct.ts";
import { CompactWriter } from "./compact-writer.ts";
import type { ThriftProtocol } from "./decode-agent-packet.ts";
import { messageTypes } from "./message-envelope.ts";
import type { I64, ThriftBatch } from "./thrift-structs.ts";

const method = "emitBatch";
const strictOneway = 0x80010000 | messageTypes.oneway;

/** A packet as clients send it to the agent: the message `Agent.emitBatch`, ONEWAY, binary in the strict form. */
export function encodeAgentPacket(batch: ThriftBatch, protocol: ThriftProtocol): Buffer {
  return protocol === "compact" ? encodeCompact(batch) : encodeBinary(batch);
}

/** A bare struct `Batch`: in the binary protocol what clients send over HTTP. */
export function encodeThriftBatch(batch: ThriftBatch, protocol: ThriftProtocol): Buffer {
  if (protocol === "binary") return batchStruct.toBuffer(batch);
  const writer = new CompactWriter();
  writeStruct(writer, batchStruct, batch);
  return writer.take();
}

function encodeBinary(batch: ThriftBatch): Buffer {
  const header = Buffer.alloc(8 + method.length + 4);
  header.writeInt32BE(strictOneway, 0);
  header.writeInt32BE(method.length, 4);
  header.write(method, 8);
  return Buffer.concat([header, emitBatchArguments.toBuffer({ batch })]);
}

function encodeCompact(batch: ThriftBatch): Buffer {
  const writer = new CompactWriter();
  writer.byte(compactProtocolId);
  writer.byte((messageTypes.oneway << 5) | compactVersion);
  writer.varint32(0);
  writer.string(method);
  writeStruct(writer, emitBatchArguments, { batch });
  return writer.take();
}

function writeStruct(writer: CompactWriter, struct: ThriftStruct, values: object): void {
  let previousId = 0;
  for (const { id, name, valueType } of struct.fields) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) {
      const type = value === false ? compactTypes.false : compactTypeOf(valueType);
      writer.fieldHeader(type, id, previousId);
      previousId = id;
      if (typeof value !== "boolean") {
        writeValue(writer, valueType, value);
      }
    }
  }
  writer.stop();
}

function writeValue(writer: CompactWriter, type: ThriftType, value: unknown): void {
  switch (compactTypeOf(type)) {
    case compactTypes.double:
      writer.double(value as number);
      break;
    case compactTypes.i16:
    case compactTypes.i32:
      writer.zigzag32(value as number);
      break;
    case compactTypes.i64:
      writer.zigzag64(value as I64);
      break;
    case compactTypes.binary:
      writer.binary(Buffer.from(value as string | Buffer));
      break;
    case compactTypes.struct:
      writeStruct(writer, type as ThriftStruct, value as object);
      break;
    default:
      writeList(writer, type.valueType as ThriftType, value as readonly unknown[]);
  }
}

function writeList(writer: CompactWriter, element: ThriftType, values: readonly unknown[]): void {
  writer.listHeader(compactTypeOf(element), values.length);
  for (const value of values) {
    writeValue(writer, element, value);
  }
}
