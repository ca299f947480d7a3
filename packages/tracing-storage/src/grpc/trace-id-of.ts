import { WireError } from "wire/errors";

/**
 * Converts a trace id in bytes to the store's form: 32 hex digits. @throws WireError WIRE_BAD_ID unless it has 16 or 8
 * bytes
 */
export function traceIdOf(bytes: Buffer): string {
  if (bytes.length === 16 || bytes.length === 8) {
    return bytes.toString("hex").padStart(32, "0");
  }
  throw new WireError("WIRE_BAD_ID", `invalid length for TraceID: ${bytes.length} bytes, not 16 or 8`);
}
