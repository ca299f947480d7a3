import { type ThriftType, thriftTypes } from "./thrift-descriptors.ts";

/** Type numbers of the binary protocol; `thriftTypes` has the numbers of the compact protocol. */
export const binaryTypes = {
  bool: 2,
  byte: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
  uuid: 16,
} as const satisfies Record<keyof typeof thriftTypes, number>;

/** The inverse of the list above: the index is the number in `thriftTypes`. */
const numbers = new Uint8Array(14);
for (const [name, type] of Object.entries(thriftTypes)) {
  numbers[type] = binaryTypes[name as keyof typeof binaryTypes];
}

/** The binary protocol's number for a type. */
export function binaryTypeOf(type: ThriftType): number {
  return numbers[type] as number;
}
