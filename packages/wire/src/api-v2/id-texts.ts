import { WireError } from "../errors.ts";

const zeroHalf = "0".repeat(16);

/**
 * A trace id in Jaeger's text form: 16 digits when the high half is zero, otherwise 32.
 * @param traceId 32 lower-case hex digits
 */
export function traceIdText(traceId: string): string {
  return traceId.startsWith(zeroHalf) ? traceId.slice(16) : traceId;
}

/**
 * Parses a trace id from a person or client: up to 32 hex digits in upper or lower case. Shorter ids are filled with
 * zeros on the left: `A1` becomes thirty zeros and `a1`.
 * @returns 32 lower-case hex digits
 * @throws WireError WIRE_BAD_ID with Jaeger's text, which clients show unchanged
 */
export function parseTraceId(text: string): string {
  if (Buffer.byteLength(text) > 32) {
    throw new WireError("WIRE_BAD_ID", `TraceID cannot be longer than 32 hex characters: ${text}`);
  }
  // Jaeger parses the two halves separately, and its error contains the half that failed.
  for (const half of text.length > 16 ? [text.slice(0, -16), text.slice(-16)] : [text]) {
    if (!/^[0-9a-fA-F]+$/.test(half)) {
      throw new WireError(
        "WIRE_BAD_ID",
        `strconv.ParseUint: parsing ${JSON.stringify(half)}: invalid syntax`,
      );
    }
  }
  return text.toLowerCase().padStart(32, "0");
}

/** Converts 16 big-endian bytes, or 8 bytes as the low half. @throws WireError WIRE_BAD_ID for any other length */
export function traceIdFromBytes(bytes: Buffer): string {
  checkTraceIdLength(bytes.length);
  return bytes.length === 16 ? bytes.toString("hex") : zeroHalf + bytes.toString("hex");
}

/** Converts 8 big-endian bytes. @throws WireError WIRE_BAD_ID for any other length */
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
