import { WireError } from "../errors.ts";

const zeroHalf = "0".repeat(16);

/** 16 big-endian bytes; 8 bytes are the low half. @throws WireError WIRE_BAD_ID for any other length */
export function traceIdFromBytes(bytes: Buffer): string {
  checkTraceIdLength(bytes.length);
  return bytes.length === 16 ? bytes.toString("hex") : zeroHalf + bytes.toString("hex");
}

/** 8 big-endian bytes. @throws WireError WIRE_BAD_ID for any other length */
export function spanIdFromBytes(bytes: Buffer): string {
  if (bytes.length !== 8) {
    throw badSpanId(bytes.length);
  }
  return bytes.toString("hex");
}

/** @throws WireError WIRE_BAD_ID for a length that is neither 16 nor 8 */
export function checkTraceIdLength(length: number): void {
  if (length !== 16 && length !== 8) {
    throw new WireError("WIRE_BAD_ID", `invalid length for TraceID: ${length} bytes, not 16 or 8`);
  }
}

/** The error for a span id without exactly 8 bytes. */
export function badSpanId(length: number): WireError {
  return new WireError("WIRE_BAD_ID", `invalid length for SpanID: ${length} bytes, not 8`);
}

/** A trace or span id as bytes. @param id an even number of hex digits */
export function idToBytes(id: string): Buffer {
  return Buffer.from(id, "hex");
}
