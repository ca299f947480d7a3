import { malformed } from "./thrift-cursor.ts";
import type { ThriftField, ThriftStruct } from "./thrift-descriptors.ts";

/** @throws WireError WIRE_MALFORMED for a field that was seen before */
export function checkOnce(seen: number, field: ThriftField): void {
  if ((seen & (1 << field.id)) !== 0) {
    throw malformed(`${field.label} comes twice`);
  }
}

/**
 * @param seen number with bit `1 << id` for each field that was present
 * @throws WireError WIRE_MALFORMED with the first required field that is missing
 */
export function checkRequired(seen: number, struct: ThriftStruct): void {
  const missing = struct.requiredBits & ~seen;
  if (missing !== 0) {
    // The lowest bit that is missing.
    const id = 31 - Math.clz32(missing & -missing);
    const field = Object.values(struct.fields).find((one) => one.id === id);
    throw malformed(`${field?.label} is required and missing`);
  }
}
