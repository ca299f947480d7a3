/// <reference path="./thriftrw.d.ts" />
import type { ThriftStruct, ThriftType } from "thriftrw";
import { batchStruct, emitBatchArguments } from "./agent-idl.ts";
import { compactProtocolId, compactVersion } from "./compact-message.ts";
import { CompactWriter } from "./compact-writer.ts";
import { messageTypes, type ThriftProtocol } from "./message-envelope.ts";
import { thriftTypes } from "./thrift-cursor.ts";
import type { I64, ThriftBatch } from "./thrift-structs.ts";

const method = "emitBatch";
/** In the compact protocol the type of a bool in a field is its value. */
const compactFalse = 2;

/** Our number of each type of the binary protocol that our structs have; the IDL is parsed into those. */
const typesByNumber: ReadonlyMap<number, number> = new Map([
  [2, thriftTypes.bool],
  [4, thriftTypes.double],
  [8, thriftTypes.i32],
  [10, thriftTypes.i64],
  [11, thriftTypes.string],
  [12, thriftTypes.struct],
  [15, thriftTypes.list],
]);
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
      const type = value === false ? compactFalse : compactTypeOf(valueType);
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
    case thriftTypes.double:
      writer.double(value as number);
      break;
    case thriftTypes.i32:
      writer.zigzag32(value as number);
      break;
    case thriftTypes.i64:
      writer.zigzag64(value as I64);
      break;
    case thriftTypes.string:
      writer.binary(Buffer.from(value as string | Buffer));
      break;
    case thriftTypes.struct:
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

function compactTypeOf({ name, typeid }: ThriftType): number {
  const type = typesByNumber.get(typeid);
  if (type === undefined) throw new Error(`${name}: no struct of ours has this type yet`);
  return type;
}
