import type { PartialAnswer } from "storage/api";
import { StorageError, type StorageErrorCode } from "storage/errors";
import { WireError } from "wire/errors";
import { type BrokenLimit, QueryError, type QueryErrorCode } from "../query-error.ts";

const ofQueryError: Record<QueryErrorCode, number> = {
  QUERY_BAD_PARAMETER: 400,
  QUERY_TRACE_NOT_FOUND: 404,
  QUERY_NOT_FOUND: 404,
  QUERY_FORBIDDEN: 403,
  QUERY_NOT_CONFIGURED: 500, // The public model's status.
  QUERY_UNREADABLE: 400, // The public model answers 500, which alerts the operator about a client's mistake.
  QUERY_TOO_LARGE: 413,
  QUERY_BUSY: 503,
  QUERY_UPSTREAM: 500, // The public model's status.
  QUERY_NOT_SUPPORTED: 501,
};

/** Jaeger answers 500 for all of these; 503 tells proxies and clients to retry. */
const ofStorageError: Record<StorageErrorCode, number> = {
  STORAGE_UNAVAILABLE: 503,
  STORAGE_TIMEOUT: 503,
  STORAGE_ABORTED: 503,
  STORAGE_BAD_QUERY: 400,
  STORAGE_TOO_LARGE: 413,
  STORAGE_REFUSED: 500,
  STORAGE_VERSION: 500,
  STORAGE_UNSUPPORTED: 501,
};

export interface HttpFailure {
  readonly status: number;
  /** Text for the client. */
  readonly message: string;
  /**
   * True: the error is logged for the operator. False for a client error, and for an error that the health check
   * reports already.
   */
  readonly isOurs: boolean;
  /** The code of the `QueryError` or `StorageError`. */
  readonly code?: QueryErrorCode | StorageErrorCode;
  readonly parameter?: string | undefined;
  readonly limit?: BrokenLimit | undefined;
  /** Set when the store could not read everything; missing data may exist in an unread part. */
  readonly partial?: PartialAnswer | undefined;
}

/** Converts an error to a failure for the client. */
export function httpFailure(error: unknown): HttpFailure {
  if (error instanceof QueryError) {
    const { code, message, parameter, limit } = error;
    return { status: ofQueryError[code], message, isOurs: code === "QUERY_UPSTREAM", code, parameter, limit };
  }
  if (error instanceof StorageError) {
    const status = ofStorageError[error.code];
    return { status, message: error.message, isOurs: status === 500, code: error.code };
  }
  if (error instanceof WireError && error.code === "WIRE_BAD_ID") {
    return { status: 400, message: error.message, isOurs: false };
  }
  // Express's own errors, such as a path that does not decode, carry a status.
  if (error instanceof Error && "status" in error && typeof error.status === "number" && error.status < 500) {
    return { status: error.status, message: error.message, isOurs: false };
  }
  return { status: 500, message: "internal error", isOurs: true };
}
