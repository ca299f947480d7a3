import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import { StorageError, type StorageErrorCode } from "storage/api";
import { WireError } from "wire/errors";
import { WriteError } from "./write-error.ts";

/** The failure that a client receives. */
export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
}

const ofStorageError: Record<StorageErrorCode, status> = {
  STORAGE_UNAVAILABLE: status.UNAVAILABLE,
  STORAGE_TIMEOUT: status.UNAVAILABLE,
  STORAGE_ABORTED: status.CANCELLED,
  STORAGE_BAD_QUERY: status.INVALID_ARGUMENT,
  STORAGE_TOO_LARGE: status.RESOURCE_EXHAUSTED,
  STORAGE_REFUSED: status.INTERNAL,
  STORAGE_VERSION: status.INTERNAL,
  STORAGE_UNSUPPORTED: status.UNIMPLEMENTED,
};

/**
 * Maps an error to the status of a call. Jaeger always answers UNKNOWN or INTERNAL; here, UNAVAILABLE and
 * RESOURCE_EXHAUSTED tell clients that a retry may help.
 */
export function grpcFailureOf(error: unknown, log: Logger): GrpcFailure {
  if (error instanceof WireError) {
    // For Jaeger, an id of a wrong length is a decoding error.
    const code = error.code === "WIRE_BAD_ID" ? status.INTERNAL : status.INVALID_ARGUMENT;
    return { code, details: error.message };
  }
  if (error instanceof WriteError) {
    const code = error.code === "WRITE_BUSY" ? status.RESOURCE_EXHAUSTED : status.UNAVAILABLE;
    return { code, details: error.message };
  }
  if (error instanceof StorageError) {
    const code = ofStorageError[error.code];
    if (code === status.INTERNAL) {
      log.error({ err: error }, "the store refuses");
    }
    return { code, details: error.message };
  }
  log.error({ err: error }, "error in a gRPC call");
  return { code: status.INTERNAL, details: "internal error" };
}
