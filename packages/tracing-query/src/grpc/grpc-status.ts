import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import { StorageError, type StorageErrorCode } from "storage/api";

/** What a client of the gRPC API is told. */
export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
}

/** The public model says INTERNAL for all; UNAVAILABLE tells clients that trying again helps. */
const ofStorageError: Record<StorageErrorCode, status> = {
  STORAGE_UNAVAILABLE: status.UNAVAILABLE,
  STORAGE_TIMEOUT: status.UNAVAILABLE,
  STORAGE_ABORTED: status.CANCELLED,
  STORAGE_BAD_QUERY: status.INVALID_ARGUMENT,
  STORAGE_REFUSED: status.INTERNAL,
  STORAGE_VERSION: status.INTERNAL,
  STORAGE_UNSUPPORTED: status.UNIMPLEMENTED,
};

/**
 * What the client is told of a read that failed; the operator hears of what is not the client's doing, nor told by
 * health already.
 * @param what in the public model's words: "failed to fetch services"
 */
export function storageFailure(what: string, error: unknown, log: Logger): GrpcFailure {
  const isStorage = error instanceof StorageError;
  const code = isStorage ? ofStorageError[error.code] : status.INTERNAL;
  if (code === status.INTERNAL) {
    log.error({ err: error }, what);
  }
  return { code, details: `${what}: ${isStorage ? error.message : "internal error"}` };
}
