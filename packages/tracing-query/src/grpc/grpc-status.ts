import { status } from "@grpc/grpc-js";
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
  STORAGE_REFUSED: status.INTERNAL,
  STORAGE_VERSION: status.INTERNAL,
};

/** @param what in the public model's words: "failed to fetch services" */
export function storageFailure(what: string, error: unknown): GrpcFailure {
  if (error instanceof StorageError) {
    return { code: ofStorageError[error.code], details: `${what}: ${error.message}` };
  }
  return { code: status.INTERNAL, details: `${what}: internal error` };
}
