import { Status } from "../gen/google/rpc/status.ts";

/**
 * `google.rpc.Status` as protobuf: the body of an OTLP/HTTP error for a protobuf request.
 * @param code a gRPC status number (3 is INVALID_ARGUMENT)
 */
export function encodeRpcStatus(code: number, message: string): Uint8Array {
  return Status.encode({ code, message }).finish();
}

/** `google.rpc.Status` as JSON with both members, for the body of an OTLP/HTTP error after a JSON request. */
export function encodeRpcStatusJson(code: number, message: string): string {
  return JSON.stringify({ code, message });
}
