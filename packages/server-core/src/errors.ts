/** All error codes of the server; the list is closed. HTTP statuses: `admin/admin-status.ts`, `http/http-status.ts`. */
export type ServerErrorCode =
  | "CONFIG_SYNTAX" // the body is not JSON, or its JSON is too deep or has a number out of range
  | "CONFIG_TRAVERSAL" // the path walks through an absent key or a scalar
  | "CONFIG_INDEX" // not an index, or out of bounds
  | "CONFIG_KEY_EXISTS"
  | "CONFIG_KEY_MISSING"
  | "CONFIG_NOT_ARRAY" // `/...` without an array to append to, or without an array to append
  | "CONFIG_ID" // an `@id` is not a string or number, or occurs twice
  | "CONFIG_ID_UNKNOWN"
  | "CONFIG_REFUSED" // the document was understood and cannot run
  | "CONFIG_BUSY" // too many changes wait for the lock
  | "CONFIG_ADAPTER" // no such config adapter, or the adapter cannot read the text
  | "CONFIG_INEXPRESSIBLE" // the requested format cannot express the config
  | "CONFIG_PULL" // a config cannot be fetched from the address in the running config
  | "PATCH_MALFORMED" // not a patch at all
  | "PATCH_CONFLICT" // a patch does not fit the value at its place; also a failed `test` operation
  | "HISTORY_UNKNOWN" // the history has no such entry, or has removed it
  | "IF_MATCH_MALFORMED"
  | "IF_MATCH_FAILED"
  | "MODULE_CONFIG" // a module's config does not fit its schema
  | "MODULE_UNKNOWN"
  | "MODULE_DUPLICATE"
  | "MODULE_LOAD" // a user module cannot be imported, or the import is not a module
  | "REGEXP_COST" // a text is too long for a regular expression, or replacing its matches takes too long
  | "SHARED_FULL" // no free slot for another shared counter
  | "THREAD" // another thread of the server did not do what was requested
  | "THREAD_DIED" // the thread ended before it answered
  | "LISTEN" // an address cannot be opened
  | "STORAGE" // stored data cannot be read, written or locked
  | "CERTIFICATE" // a certificate or key cannot be read, used or issued
  | "ACME" // a certificate authority refused a request or answered wrongly
  | "ADMIN_REQUEST"
  | "ADMIN_FORBIDDEN"
  | "ADMIN_UNKNOWN_CLIENT" // no known client has this certificate
  | "ADMIN_NOT_FOUND"
  | "ADMIN_METHOD"
  | "ADMIN_TOO_LARGE"
  | "ADMIN_BUSY" // another run of an operation that may run only once at a time has not ended
  | "HTTP_BAD_REQUEST"
  | "HTTP_TRANSFER_ENCODING" // a transfer encoding other than chunked
  | "HTTP_STATUS" // a handler ends the request with its own status: http/http-error.ts
  | "HTTP_EXPECTATION" // an expectation other than 100-continue
  | "HTTP_VERSION" // neither HTTP/1.0 nor HTTP/1.1
  | "HTTP_HEADER_TOO_LARGE"
  | "HTTP_BODY_TOO_LARGE"
  | "HTTP_TIMEOUT" // the client was too slow
  | "HTTP_RESPONSE" // a handler cannot create the response that its config describes
  | "PASSWORDS_BUSY" // too many passwords wait to be checked
  | "PROXY_UPSTREAM" // no upstream could be dialed, or the round trip broke
  | "PROXY_NO_UPSTREAM" // no upstream is available
  | "CLIENT_GONE";

/** A position in a text, counted from 1. */
export interface TextPlace {
  /** Name of the file. Undefined for a text without a name. */
  readonly file: string | undefined;
  /** Line from 1. */
  readonly line: number;
  /** Column from 1, in UTF-16 units. Absent when only the line is known. */
  readonly column?: number;
  /** The text at the position, when the column is unknown. */
  readonly word?: string;
}

export interface ServerErrorOptions extends ErrorOptions {
  /** Position of the fault in the text of a configuration. */
  readonly place?: TextPlace | undefined;
  /** Path of the fault in the document: `/config/apps/http/servers/s/listen/0`. */
  readonly path?: string | undefined;
  /** Earliest time of a retry, in milliseconds since 1970. */
  readonly retryAtMs?: number | undefined;
}

/**
 * The error class of the whole server. The message is lower case, and names the wrong value and the limit that it
 * exceeds.
 */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;
  /** Path of the fault in the document, if it is known. By default the path of the cause. */
  readonly path: string | undefined;
  /** Position of the fault in the text of a config. By default the position of the cause. */
  readonly place: TextPlace | undefined;
  /** Earliest time at which a retry is allowed, in milliseconds since 1970. By default the time of the cause. */
  readonly retryAtMs: number | undefined;

  constructor(code: ServerErrorCode, message: string, options?: ServerErrorOptions) {
    super(message, options);
    this.code = code;
    const cause = options?.cause instanceof ServerError ? options.cause : undefined;
    this.path = options?.path ?? cause?.path;
    this.place = options?.place ?? cause?.place;
    this.retryAtMs = options?.retryAtMs ?? cause?.retryAtMs;
  }
}

/**
 * Message of anything that was thrown. Node's AggregateError, for example after several tried addresses, has no
 * message, so the messages of its errors are joined.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(messageOf).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}

/** The error with a prefix before its message that tells where it happened. A ServerError keeps its code. */
export function errorWithin(where: string, error: unknown): ServerError {
  const code = error instanceof ServerError ? error.code : "CONFIG_REFUSED";
  return new ServerError(code, `${where}: ${messageOf(error)}`, { cause: error });
}

/** The error with the path in the document where it happened, unless it already has a deeper path. */
export function errorAt(path: string, error: unknown): ServerError {
  if (error instanceof ServerError && error.path !== undefined) {
    return error;
  }
  const code = error instanceof ServerError ? error.code : "CONFIG_REFUSED";
  return new ServerError(code, messageOf(error), { cause: error, path });
}
