import { ServerError, type ServerErrorCode } from "server-core/errors";

/**
 * HTTP status of each error at the admin endpoint. Caddy answers several client mistakes with 500; this server answers
 * them with a status from 400 to 499.
 */
const statuses: Partial<Record<ServerErrorCode, number>> = {
  // The body is not JSON, or not storable: nested too deeply, or a number out of range.
  CONFIG_SYNTAX: 400,
  // The path contains a missing key, or a value without members.
  CONFIG_TRAVERSAL: 400,
  // The list has no such index.
  CONFIG_INDEX: 400,
  // `PUT` to an existing key.
  CONFIG_KEY_EXISTS: 409,
  // `PATCH` or `DELETE` of a missing key.
  CONFIG_KEY_MISSING: 404,
  // `/...` after a value that is not a list, or with a body that is not a list.
  CONFIG_NOT_ARRAY: 400,
  // An `@id` that is neither string nor number, or is used twice.
  CONFIG_ID: 400,
  // `/id/<id>` with an unknown id.
  CONFIG_ID_UNKNOWN: 404,
  // The new config cannot run, for example because a module refuses its part; the old config continues.
  CONFIG_REFUSED: 400,
  // Too many changes are queued; the client may try again.
  CONFIG_BUSY: 503,
  // The format is unknown, or its text is invalid; the message has file and line.
  CONFIG_ADAPTER: 400,
  // The config cannot be written in the text format of `Accept`.
  CONFIG_INEXPRESSIBLE: 406,
  PATCH_MALFORMED: 400,
  PATCH_CONFLICT: 409, // RFC 5789 section 2.2, "conflicting state"
  HISTORY_UNKNOWN: 404,
  IF_MATCH_MALFORMED: 400,
  // The part that `If-Match` names has changed since the client read it.
  IF_MATCH_FAILED: 412,
  ADMIN_REQUEST: 400,
  // A client's certificate at the remote endpoint is not in `access_control`.
  ADMIN_UNKNOWN_CLIENT: 401,
  // The host, the origin or the rights of the client are wrong.
  ADMIN_FORBIDDEN: 403,
  ADMIN_NOT_FOUND: 404,
  ADMIN_METHOD: 405,
  ADMIN_TOO_LARGE: 413,
  // Another profile is running, or the config with this endpoint does not run yet.
  ADMIN_BUSY: 503,
};

/** The status of an error; 500 for an unexpected error, and for a ServerError that the table lacks. */
export function adminStatus(error: unknown): number {
  return (error instanceof ServerError ? statuses[error.code] : undefined) ?? 500;
}
