import { RequestError } from "ui-kit/request-error.ts";

/**
 * Why a request gave nothing.
 * - `API_UNREACHABLE`: no answer (network, service down)
 * - `API_NOT_FOUND`: the service answered 404
 * - `API_FORBIDDEN`: the service, or a door before it, answered 401 or 403
 * - `API_REFUSED`: the service answered another 4xx: the request is at fault
 * - `API_FAILED`: the service answered 5xx, often because its store is away
 * - `API_SHAPE`: an answer that is no JSON, or not the JSON expected
 * - `API_TOO_LARGE`: an answer over the limit of `readJson`
 * - `API_BAD_ID`: what should be the id of a trace is none; nothing was asked
 * - `API_FILE`: a file that the user opened holds no traces
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

/** A request to the query service that failed; the message is the service's own where it gave one. */
export class ApiError extends RequestError<ApiErrorCode> {}
