import { BinaryWriter } from "@bufbuild/protobuf/wire";

/** For tests: a field of a message written by hand, in ways that generated encoders never use. */
export type ProtoField = readonly [
  number: number,
  type: "varint" | "fixed32" | "fixed64" | "bytes",
  value: Value,
];

type Value = number | bigint | string | Uint8Array | readonly ProtoField[];

/**
 * For tests: a message with these fields, in this order. A list of fields as a value of type `bytes` is a nested
 * message.
 */
export function protoMessage(...fields: readonly ProtoField[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, type, value] of fields) {
    if (type === "varint") {
      writer.tag(number, 0).int64(value as bigint | number);
    } else if (type === "fixed64") {
      writer.tag(number, 1).fixed64(value as bigint | number);
    } else if (type === "fixed32") {
      writer.tag(number, 5).fixed32(value as number);
    } else {
      writer.tag(number, 2).bytes(bytesOf(value));
    }
  }
  return writer.finish();
}

/** For tests: the ids of a span, first as bytes, then as fields. */
export const traceId = Buffer.from("0102030405060708090a0b0c0d0e0f10", "hex");
export const spanId = Buffer.from("1112131415161718", "hex");
export const ids: ProtoField[] = [
  [1, "bytes", traceId],
  [2, "bytes", spanId],
];

/** For tests: a request of one span with these fields. */
export function requestOf(...span: ProtoField[]): Uint8Array {
  return protoMessage([1, "bytes", [[2, "bytes", [[2, "bytes", span]]]]]);
}
function bytesOf(value: Value): Uint8Array {
  if (value instanceof Uint8Array) {
    return value;
  }
  if (typeof value === "string") {
    return Buffer.from(value);
  }
  return protoMessage(...(value as readonly ProtoField[]));
}
