import { parseHex64 } from "../go-text/parse-number.ts";
import { QueryError } from "../query-error.ts";

const zeroHalf = "0".repeat(16);

/**
 * Reads a trace id as people and UIs write it: up to 32 hex digits of either case; 16 or fewer are the low half.
 * @returns 32 lower-case hex digits
 * @throws QueryError QUERY_BAD_PARAMETER, in the public model's words
 */
export function parseTraceId(text: string): string {
  if (Buffer.byteLength(text) > 32) {
    throw new QueryError("QUERY_BAD_PARAMETER", `TraceID cannot be longer than 32 hex characters: ${text}`);
  }
  return text.length > 16
    ? parseHex64(text.slice(0, -16)) + parseHex64(text.slice(-16))
    : zeroHalf + parseHex64(text);
}

/** The text form of a trace id: 16 hex digits when its high half is zero, otherwise 32. @param hex 32 hex digits */
export function traceIdText(hex: string): string {
  return hex.startsWith(zeroHalf) ? hex.slice(16) : hex;
}
