import { ServerError, type ServerErrorCode } from "server-core/errors";

/**
 * HTTP status of each error at the admin endpoint. Unlike the model, which answers several mistakes of the client
 * with 500, these are all 400.
 */
const statuses: Partial<Record<ServerErrorCode, number>> = {
  CONFIG_SYNTAX: 400,
  CONFIG_TRAVERSAL: 400,
  CONFIG_INDEX: 400,
  CONFIG_KEY_EXISTS: 409,
  CONFIG_KEY_MISSING: 404,
  CONFIG_NOT_ARRAY: 400,
  CONFIG_ID: 400,
  CONFIG_ID_UNKNOWN: 404,
  CONFIG_REFUSED: 400,
  CONFIG_BUSY: 503,
  CONFIG_ADAPTER: 400,
  CONFIG_INEXPRESSIBLE: 406,
  PATCH_MALFORMED: 400,
  PATCH_CONFLICT: 409, // RFC 5789 section 2.2, "conflicting state"
  HISTORY_UNKNOWN: 404,
  IF_MATCH_MALFORMED: 400,
  IF_MATCH_FAILED: 412,
  ADMIN_REQUEST: 400,
  ADMIN_UNKNOWN_CLIENT: 401,
  ADMIN_FORBIDDEN: 403,
  ADMIN_NOT_FOUND: 404,
  ADMIN_METHOD: 405,
  ADMIN_TOO_LARGE: 413,
  ADMIN_BUSY: 503,
};

/** 500 for an unforeseen error. */
export function adminStatus(error: unknown): number {
  return (error instanceof ServerError ? statuses[error.code] : undefined) ?? 500;
}
