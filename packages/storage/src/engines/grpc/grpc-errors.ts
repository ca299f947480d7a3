import { type ServiceError, status } from "@grpc/grpc-js";
import { StorageError, type StorageErrorCode } from "../../api/storage-error.ts";

/** Length limit of the server's text in our message. `cause` has the whole text. */
const maxMessageLength = 500;

/** Facts about a failed call besides its error. */
export interface FailedCall {
  /** Address of the server, for the message. */
  readonly server: string;
  /** Milliseconds that the call was allowed, for the message. */
  readonly timeoutMs: number;
  /** Milliseconds that the call waited for a connection, for the message. */
  readonly connectionTimeoutMs: number;
  /** True when the caller's signal was aborted. */
  readonly aborted: boolean;
  /** True when no connection was established in time. */
  readonly unconnected: boolean;
  /** True when the call writes spans. */
  readonly isWrite: boolean;
}

/** Converts any exception of a call to a `StorageError`. Only this function interprets gRPC codes. */
export function toStorageError(error: unknown, call: FailedCall): StorageError {
  if (error instanceof StorageError) {
    return error;
  }
  const options = { cause: error };
  const at = `remote storage at ${call.server}`;
  if (call.aborted) {
    return new StorageError("STORAGE_ABORTED", "the caller gave up", options);
  }
  if (call.unconnected) {
    const message = `${at} cannot be reached: no connection within ${call.connectionTimeoutMs} ms`;
    return new StorageError("STORAGE_UNAVAILABLE", message, options);
  }
  if (!isServiceError(error)) {
    const detail = error instanceof Error ? error.message : String(error);
    return new StorageError("STORAGE_UNAVAILABLE", `${at} cannot be reached: ${shorten(detail)}`, options);
  }
  if (error.code === status.DEADLINE_EXCEEDED) {
    return new StorageError("STORAGE_TIMEOUT", `${at} did not answer within ${call.timeoutMs} ms`, options);
  }
  const code = call.isWrite ? meaningForWrites(error) : meaningForReads(error);
  return new StorageError(code, `${at}: ${status[error.code]}: ${shorten(error.details)}`, options);
}

function meaningForReads({ code }: ServiceError): StorageErrorCode {
  switch (code) {
    case status.UNAVAILABLE:
    case status.CANCELLED:
    case status.ABORTED:
    case status.RESOURCE_EXHAUSTED:
      return "STORAGE_UNAVAILABLE";
    case status.INVALID_ARGUMENT:
      return "STORAGE_BAD_QUERY";
    case status.UNIMPLEMENTED:
      return "STORAGE_UNSUPPORTED";
    default:
      return "STORAGE_REFUSED";
  }
}

/**
 * Meaning of an error for writes. Only an error that the spans certainly cause is a refusal. Most servers answer
 * UNKNOWN to any fault, even to a failure of their database, so spans with this answer are kept and sent again.
 */
function meaningForWrites({ code, details }: ServiceError): StorageErrorCode {
  const isTooLarge =
    code === status.RESOURCE_EXHAUSTED && /message (?:is )?larger than|message length/i.test(details);
  return code === status.INVALID_ARGUMENT || code === status.OUT_OF_RANGE || isTooLarge
    ? "STORAGE_REFUSED"
    : "STORAGE_UNAVAILABLE";
}

/** True for a missing trace: NOT_FOUND, or Jaeger's text with another code. */
export function isTraceNotFound(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return isServiceError(cause) && (cause.code === status.NOT_FOUND || cause.details === "trace not found");
}

/** True for a method that the server does not support: UNIMPLEMENTED, or UNKNOWN with Jaeger's text. */
export function isNotImplemented(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return (
    isServiceError(cause) &&
    (cause.code === status.UNIMPLEMENTED ||
      (cause.code === status.UNKNOWN && /not implemented/i.test(cause.details)))
  );
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}

function shorten(text: string): string {
  return text.length <= maxMessageLength ? text : `${text.slice(0, maxMessageLength)}…`;
}
