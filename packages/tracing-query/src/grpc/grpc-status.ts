import { type Metadata, status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import { StorageError, type StorageErrorCode } from "storage/errors";
import { QueryError, type QueryErrorCode } from "../query-error.ts";

/** The failure that a gRPC client receives. */
export interface GrpcFailure {
  /** Status code of the call. */
  readonly code: status;
  /** Text of the status, shown to the client. */
  readonly details: string;
  /** Reasons why the answer is partial. */
  readonly metadata?: Metadata;
}

/** Jaeger answers INTERNAL for all of these. UNAVAILABLE tells clients to retry. */
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

const ofQueryError: Record<QueryErrorCode, status> = {
  QUERY_BAD_PARAMETER: status.INVALID_ARGUMENT,
  QUERY_TRACE_NOT_FOUND: status.NOT_FOUND,
  QUERY_NOT_FOUND: status.NOT_FOUND,
  QUERY_FORBIDDEN: status.PERMISSION_DENIED,
  QUERY_NOT_CONFIGURED: status.INTERNAL, // The public model answers INTERNAL here.
  QUERY_UNREADABLE: status.INVALID_ARGUMENT,
  QUERY_TOO_LARGE: status.RESOURCE_EXHAUSTED,
  QUERY_BUSY: status.RESOURCE_EXHAUSTED,
  QUERY_UPSTREAM: status.INTERNAL,
  QUERY_NOT_SUPPORTED: status.UNIMPLEMENTED,
};

/**
 * Converts a failed read to a status for the client. Internal errors are logged, but no fault of the query, and no error
 * that the health check reports already.
 * @param what name of the failed read, in Jaeger's words: "failed to fetch services"
 */
export function storageFailure(what: string, error: unknown, log: Logger): GrpcFailure {
  const { code, details } = bareFailure(error, log, what);
  return { code, details: `${what}: ${details}` };
}

/**
 * Like {@link storageFailure}, but the client gets the error's own message. @param what name of the failed read, for
 * the log
 */
export function bareFailure(error: unknown, log: Logger, what = "request failed"): GrpcFailure {
  const failure = failureOf(error);
  const isOurs = !(error instanceof QueryError) || error.code === "QUERY_UPSTREAM";
  if (failure.code === status.INTERNAL && isOurs) {
    log.error({ err: error }, what);
  }
  return failure;
}

function failureOf(error: unknown): GrpcFailure {
  if (error instanceof QueryError) {
    return { code: ofQueryError[error.code], details: error.message };
  }
  return error instanceof StorageError
    ? { code: ofStorageError[error.code], details: error.message }
    : { code: status.INTERNAL, details: "internal error" };
}
