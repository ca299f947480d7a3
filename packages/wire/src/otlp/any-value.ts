import { type Attribute, type AttributeValue, maxAttributeDepth } from "../model/attribute.ts";
import { cutValueText } from "../rows/span-mends.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";

/** Fields of a `KeyValue`; for an `AnyValue`, all members of its oneof. */
export const keyValueFields = fieldMask(1, 2);
const anyValueFields = fieldMask(1, 2, 3, 4, 5, 6, 7);
/** Fields of an `ArrayValue` or a `KeyValueList`. */
const listFields = fieldMask(1);

const empty: AttributeValue = { type: "empty" };
/** Value in place of a value that is nested too deeply. */
const cutValue: AttributeValue = { type: "string", value: cutValueText };

/**
 * Reads a `KeyValue` from the cursor's position to `end`, by all rules of protobuf; for example, a repeated `value` is
 * merged. Arrays and kvlists deeper than `maxAttributeDepth` are cut, and the cursor counts them.
 * @param depth number of arrays and kvlists that contain the attribute
 * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED
 */
export function readKeyValue(cursor: ProtoCursor, end: number, depth = 0): Attribute {
  let key = "";
  let value = empty;
  while (cursor.position < end) {
    const tag = cursor.tag(end);
    if (tag === 10) {
      key = cursor.string(end);
    } else if (tag === 18) {
      value = readAnyValue(cursor, cursor.fieldEnd(end), value, depth);
    } else {
      cursor.skip(tag, end, keyValueFields);
    }
  }
  return { key, value };
}

/**
 * Reads an `AnyValue` from the cursor's position to `end`, and merges it into an earlier occurrence of the field. The
 * last member of the oneof counts, except that a further array extends an array, and a further kvlist extends a kvlist.
 */
export function readAnyValue(
  cursor: ProtoCursor,
  end: number,
  into: AttributeValue = empty,
  depth = 0,
): AttributeValue {
  let value = into;
  while (cursor.position < end) {
    const tag = cursor.tag(end);
    switch (tag) {
      case 10:
        value = { type: "string", value: cursor.string(end) };
        break;
      case 16:
        cursor.varint(end);
        value = { type: "bool", value: (cursor.low | cursor.high) !== 0 };
        break;
      case 24:
        cursor.varint(end);
        value = { type: "int", value: int64Of(cursor) };
        break;
      case 33:
        value = { type: "double", value: cursor.double(end) };
        break;
      case 42: {
        if (depth >= maxAttributeDepth) {
          value = cut(cursor, end);
          break;
        }
        const items = value.type === "array" ? (value.value as AttributeValue[]) : [];
        readItems(cursor, cursor.fieldEnd(end), depth + 1, items);
        value = { type: "array", value: items };
        break;
      }
      case 50: {
        if (depth >= maxAttributeDepth) {
          value = cut(cursor, end);
          break;
        }
        const entries = value.type === "kvlist" ? (value.value as Attribute[]) : [];
        readEntries(cursor, cursor.fieldEnd(end), depth + 1, entries);
        value = { type: "kvlist", value: entries };
        break;
      }
      case 58:
        value = { type: "bytes", value: readBytes(cursor, end) };
        break;
      default:
        cursor.skip(tag, end, anyValueFields);
    }
  }
  return value;
}

/** Skips an array or kvlist that is nested too deeply. */
function cut(cursor: ProtoCursor, end: number): AttributeValue {
  cursor.position = cursor.fieldEnd(end);
  cursor.cutValues++;
  return cutValue;
}

/** The cursor's last 64-bit number as a signed number. */
function int64Of(cursor: ProtoCursor): bigint {
  return (BigInt(cursor.high | 0) << 32n) | BigInt(cursor.low >>> 0);
}

function readItems(cursor: ProtoCursor, end: number, depth: number, items: AttributeValue[]): void {
  while (cursor.position < end) {
    const tag = cursor.tag(end);
    if (tag === 10) {
      items.push(readAnyValue(cursor, cursor.fieldEnd(end), empty, depth));
    } else {
      cursor.skip(tag, end, listFields);
    }
  }
}

function readEntries(cursor: ProtoCursor, end: number, depth: number, entries: Attribute[]): void {
  while (cursor.position < end) {
    const tag = cursor.tag(end);
    if (tag === 10) {
      entries.push(readKeyValue(cursor, cursor.fieldEnd(end), depth));
    } else {
      cursor.skip(tag, end, listFields);
    }
  }
}

function readBytes(cursor: ProtoCursor, end: number): Uint8Array {
  const stop = cursor.fieldEnd(end);
  const start = cursor.position;
  cursor.position = stop;
  // The bytes are copied, because the request's buffer may be reused.
  return Uint8Array.prototype.slice.call(cursor.bytes, start, stop);
}
