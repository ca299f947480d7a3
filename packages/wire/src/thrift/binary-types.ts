import { type ThriftType, thriftTypes } from "./thrift-descriptors.ts";

/** The numbers of types in the binary protocol; `thriftTypes` has those of the compact one. */
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

/** The inverse of the order above: index is the number in `thriftTypes`. */
const numbers = new Uint8Array(14);
for (const [name, type] of Object.entries(thriftTypes)) {
  numbers[type] = binaryTypes[name as keyof typeof binaryTypes];
}

/** The number that the binary protocol has for a type. */
export function binaryTypeOf(type: ThriftType): number {
  return numbers[type] as number;
}
