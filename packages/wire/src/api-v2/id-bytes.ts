import { WireError } from "../errors.ts";

const zeroHalf = "0".repeat(16);

/** 16 big-endian bytes; 8 bytes are the low half. @throws WireError WIRE_BAD_ID for any other length */
export function traceIdFromBytes(bytes: Buffer): string {
  switch (bytes.length) {
    case 16:
      return bytes.toString("hex");
    case 8:
      return zeroHalf + bytes.toString("hex");
    default:
      throw new WireError("WIRE_BAD_ID", `invalid length for TraceID: ${bytes.length} bytes, not 16 or 8`);
  }
}

/** 8 big-endian bytes. @throws WireError WIRE_BAD_ID for any other length */
export function spanIdFromBytes(bytes: Buffer): string {
  if (bytes.length !== 8) {
    throw new WireError("WIRE_BAD_ID", `invalid length for SpanID: ${bytes.length} bytes, not 8`);
  }
  return bytes.toString("hex");
}

/** A trace or span id of the model as bytes. @param id hex digits, an even number of them */
export function idToBytes(id: string): Buffer {
  return Buffer.from(id, "hex");
}
