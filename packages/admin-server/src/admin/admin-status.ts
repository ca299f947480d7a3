import { ServerError, type ServerErrorCode } from "server-core/errors";

/**
 * HTTP status of each error at the admin endpoint. Unlike the model, which answers several mistakes of the client
 * with 500, these are all 400.
 */
const statuses: Partial<Record<ServerErrorCode, number>> = {
  // The body is no JSON, or JSON that cannot be kept: too deep, or a number out of range.
  CONFIG_SYNTAX: 400,
  // The path leads through a key that is not there, or through a value without members.
  CONFIG_TRAVERSAL: 400,
  // A list has no such place.
  CONFIG_INDEX: 400,
  // `PUT` to an existing key.
  CONFIG_KEY_EXISTS: 409,
  // `PATCH` or `DELETE` of a key that is not there.
  CONFIG_KEY_MISSING: 404,
  // `/...` behind something that is no list, or with a body that is none.
  CONFIG_NOT_ARRAY: 400,
  // An `@id` that is no string or number, or that two objects have.
  CONFIG_ID: 400,
  // `/id/<id>` with an id that no object has.
  CONFIG_ID_UNKNOWN: 404,
  // The new config was understood, but cannot run: the old one goes on.
  CONFIG_REFUSED: 400,
  // Too many changes wait for their turn; a client may try again.
  CONFIG_BUSY: 503,
  // The format is unknown, or its text is faulty; the message has file and line.
  CONFIG_ADAPTER: 400,
  // No serverfile says the config that `Accept` asks for as text.
  CONFIG_INEXPRESSIBLE: 406,
  PATCH_MALFORMED: 400,
  PATCH_CONFLICT: 409, // RFC 5789 section 2.2, "conflicting state"
  HISTORY_UNKNOWN: 404,
  IF_MATCH_MALFORMED: 400,
  // The part that `If-Match` names has changed since the client read it.
  IF_MATCH_FAILED: 412,
  ADMIN_REQUEST: 400,
  // The certificate of a client of the remote endpoint is not in `access_control`.
  ADMIN_UNKNOWN_CLIENT: 401,
  // The host, the origin or the rights of the client are wrong.
  ADMIN_FORBIDDEN: 403,
  ADMIN_NOT_FOUND: 404,
  ADMIN_METHOD: 405,
  ADMIN_TOO_LARGE: 413,
  // Another profile is being taken, or the endpoint's config does not run yet.
  ADMIN_BUSY: 503,
};

/** The status of an error; 500 for an unforeseen one, and for a ServerError without a line in the table. */
export function adminStatus(error: unknown): number {
  return (error instanceof ServerError ? statuses[error.code] : undefined) ?? 500;
}
