/// <reference path="./thriftrw.d.ts" />
import type { ThriftField, ThriftStruct, ThriftType } from "thriftrw";
import { WireError } from "../errors.ts";
import { type CompactReader, compactTypes } from "./compact-reader.ts";

type Read = (reader: CompactReader) => unknown;

/** Types of the binary protocol, by which thriftrw numbers those of the IDL. */
const binaryTypes = {
  bool: 2,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  struct: 12,
  list: 15,
} as const;

/**
 * Makes a reader of one struct in the compact protocol out of thriftrw's parse of the IDL. It gives the same objects
 * as thriftrw gives for the binary protocol, is as strict (a required field must be there, a field must have its
 * type) and passes over fields that the IDL does not know.
 */
export function compactStructReader(struct: ThriftStruct): Read {
  const fields: { readonly name: string; readonly compactType: number; readonly read: Read }[] = [];
  for (const { id, name, valueType } of struct.fields) {
    fields[id] = { name, compactType: compactTypeOf(valueType), read: valueReader(valueType) };
  }
  const required = struct.fields.filter((field) => field.required);

  return (reader) => {
    const value = struct.create();
    let id = 0;
    for (;;) {
      const header = reader.byte();
      const type = header & 0x0f;
      if (type === compactTypes.stop) {
        break;
      }
      id = header >>> 4 === 0 ? reader.zigzag32() : id + (header >>> 4);
      const field = fields[id];
      if (field === undefined) {
        reader.skip(type);
      } else if (field.compactType === compactTypes.true && type === compactTypes.false) {
        value[field.name] = false;
      } else if (field.compactType === type) {
        value[field.name] = field.compactType === compactTypes.true ? true : field.read(reader);
      } else {
        throw new WireError("WIRE_MALFORMED", `${struct.name}.${field.name} has compact type ${type}`);
      }
    }
    checkRequired(struct.name, required, value);
    return value;
  };
}

function checkRequired(name: string, required: readonly ThriftField[], value: Record<string, unknown>): void {
  for (const field of required) {
    if (value[field.name] === undefined) {
      throw new WireError("WIRE_MALFORMED", `${name}.${field.name} is required and missing`);
    }
  }
}

/** How the compact protocol numbers a type of the IDL; a bool that is a field may also be `compactTypes.false`. */
export function compactTypeOf(type: ThriftType): number {
  switch (type.typeid) {
    case binaryTypes.bool:
      return compactTypes.true;
    case binaryTypes.double:
      return compactTypes.double;
    case binaryTypes.i16:
      return compactTypes.i16;
    case binaryTypes.i32:
      return compactTypes.i32;
    case binaryTypes.i64:
      return compactTypes.i64;
    case binaryTypes.string:
      return compactTypes.binary;
    case binaryTypes.struct:
      return compactTypes.struct;
    case binaryTypes.list:
      return compactTypes.list;
    default:
      throw new Error(`${type.name}: no struct of ours has this type yet`);
  }
}

function valueReader(type: ThriftType): Read {
  switch (compactTypeOf(type)) {
    case compactTypes.true:
      return (reader) => reader.byte() === compactTypes.true;
    case compactTypes.double:
      return (reader) => reader.double();
    case compactTypes.i16:
    case compactTypes.i32:
      return (reader) => reader.zigzag32();
    case compactTypes.i64:
      return (reader) => reader.zigzag64();
    case compactTypes.binary:
      return type.name === "binary" ? (reader) => reader.binary() : (reader) => reader.string();
    case compactTypes.struct:
      return compactStructReader(type as ThriftStruct);
    default:
      return listReader(type.valueType as ThriftType);
  }
}

function listReader(elementType: ThriftType): Read {
  const compactType = compactTypeOf(elementType);
  const read = valueReader(elementType);
  return (reader) => {
    const { type, count } = reader.listHeader();
    if (count > 0 && type !== compactType) {
      throw new WireError(
        "WIRE_MALFORMED",
        `list before offset ${reader.offset} has compact type ${type}, not ${compactType}`,
      );
    }
    const values: unknown[] = [];
    for (let index = 0; index < count; index++) {
      values.push(read(reader));
    }
    return values;
  };
}
