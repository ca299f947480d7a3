import { status } from "@grpc/grpc-js";
import type { GrpcFailure } from "./grpc-status.ts";

/**
 * In Jaeger the gRPC library refuses an id of the wrong length. Its text differs by the kind of call.
 */
const unreadable = {
  stream: "grpc: failed to unmarshal the received message",
  unary: "grpc: error unmarshalling request",
} as const;

/**
 * Parses the `trace_id` of a request: 16 bytes, or 8 bytes for the low half.
 * @returns 32 hex digits, or the failure for the client
 */
export function traceIdField(bytes: Buffer, call: keyof typeof unreadable): string | GrpcFailure {
  if (bytes.length !== 0 && bytes.length !== 16 && bytes.length !== 8) {
    return { code: status.INTERNAL, details: `${unreadable[call]}: invalid length for TraceID` };
  }
  if (bytes.every((byte) => byte === 0)) {
    return { code: status.INVALID_ARGUMENT, details: "uninitialized TraceID is not allowed" };
  }
  return bytes.toString("hex").padStart(32, "0");
}
