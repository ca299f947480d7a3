import { RequestError } from "ui-kit/request-error.ts";

/**
 * Kinds of failed requests:
 * - `API_UNREACHABLE`: no response (network, service down)
 * - `API_NOT_FOUND`: the service answered 404
 * - `API_FORBIDDEN`: the service, or a proxy before it, answered 401 or 403
 * - `API_REFUSED`: the service answered another 4xx, because the request is wrong
 * - `API_FAILED`: the service answered 5xx, often because its store is unreachable
 * - `API_SHAPE`: an answer that is not JSON, or not the expected JSON
 * - `API_TOO_LARGE`: an answer above the limit of `readJson`
 * - `API_BAD_ID`: a text is no trace id, so no request was sent
 * - `API_FILE`: an opened file contains no traces, or has an unknown format
 */
export type ApiErrorCode =
  | "API_UNREACHABLE"
  | "API_NOT_FOUND"
  | "API_FORBIDDEN"
  | "API_REFUSED"
  | "API_FAILED"
  | "API_SHAPE"
  | "API_TOO_LARGE"
  | "API_BAD_ID"
  | "API_FILE";

/** A failed request to the query service; the message is the service's own if it sent one. */
export class ApiError extends RequestError<ApiErrorCode> {}
