import { status } from "@grpc/grpc-js";
import type { GrpcFailure } from "./grpc-status.ts";

/**
 * Reads the `trace_id` of a request: 16 bytes, or 8 that are the low half.
 * @returns 32 hex digits, or what the client is told
 */
export function traceIdField(bytes: Buffer): string | GrpcFailure {
  if (bytes.every((byte) => byte === 0)) {
    return { code: status.INVALID_ARGUMENT, details: "uninitialized TraceID is not allowed" };
  }
  if (bytes.length !== 16 && bytes.length !== 8) {
    return { code: status.INTERNAL, details: "invalid length for TraceID" };
  }
  return bytes.toString("hex").padStart(32, "0");
}
