import { bytesField, bytesSlot, doubleField, messageField, type Piece, varintField } from "./proto-piece.ts";

/** One attribute: `encode` returns an OTLP `KeyValue` for the given field number. */
export interface Attribute {
  readonly key: string;
  encode(field: number): Piece;
}

function attribute(key: string, value: Piece): Attribute {
  return { key, encode: (field) => messageField(field, bytesField(1, key), messageField(2, value)) };
}

export function text(key: string, value: string): Attribute {
  return attribute(key, bytesField(1, value));
}

export function flag(key: string, value: boolean): Attribute {
  return attribute(key, varintField(2, value));
}

/** @param value 0 to 2^53 */
export function int(key: string, value: number): Attribute {
  return attribute(key, varintField(3, value));
}

export function double(key: string, value: number): Attribute {
  return attribute(key, doubleField(4, value));
}

export function textList(key: string, values: readonly string[]): Attribute {
  return attribute(key, messageField(5, ...values.map((value) => messageField(1, bytesField(1, value)))));
}

/** A text that is different in every span and every send, such as the number of an order or the id of a message. */
export function uniqueText(key: string, digits: number): Attribute {
  return attribute(key, bytesSlot(1, digits, { kind: "uniqueText", digits }));
}
