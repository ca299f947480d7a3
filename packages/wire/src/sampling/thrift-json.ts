import { WireError } from "../errors.ts";
import { type ThriftField, type ThriftStruct, thriftTypes } from "../thrift/thrift-descriptors.ts";
import { numberJson, textJson } from "./go-json.ts";

const maxInt16 = 32_767;

/**
 * A struct as JSON with the names and the order of the IDL. Missing members are omitted if they are optional, and null
 * if they are required.
 * @throws WireError WIRE_TOO_LARGE for a number above the limit of an i16; WIRE_MALFORMED for NaN
 */
export function thriftJson(struct: ThriftStruct, values: object): string {
  const members: string[] = [];
  for (const field of Object.values<ThriftField>(struct.fields)) {
    const value = (values as Readonly<Record<string, unknown>>)[field.member];
    if (value !== undefined) {
      members.push(`"${field.name}":${valueJson(field, value)}`);
    } else if (field.isRequired) {
      members.push(`"${field.name}":null`);
    }
  }
  return `{${members.join(",")}}`;
}

function valueJson(field: ThriftField, value: unknown): string {
  switch (field.type) {
    case thriftTypes.i16:
      return int16Json(field.name, value as number);
    case thriftTypes.double:
      if (Number.isFinite(value)) {
        return numberJson(value as number);
      }
      throw new WireError("WIRE_MALFORMED", `${field.name} ${String(value)} has no legacy form`);
    case thriftTypes.string:
      return textJson(value as string);
    case thriftTypes.struct:
      return thriftJson(structOf(field), value as object);
    case thriftTypes.list:
      return `[${(value as readonly object[]).map((item) => thriftJson(structOf(field), item)).join(",")}]`;
    default:
      return String(value);
  }
}

/** Numbers below the range of an i16 wrap around, because Jaeger does not check them. */
function int16Json(name: string, value: number): string {
  if (value > maxInt16) {
    throw new WireError(
      "WIRE_TOO_LARGE",
      `${name} ${value} is over ${maxInt16}, the limit of the legacy form`,
    );
  }
  return String((value << 16) >> 16);
}

function structOf({ struct, label }: ThriftField): ThriftStruct {
  if (struct === undefined) {
    throw new Error(`${label} holds no struct`);
  }
  return struct;
}
