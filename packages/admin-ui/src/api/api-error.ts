import { RequestError } from "ui-kit/request-error.ts";

/**
 * Kinds of failed requests:
 * - `API_UNREACHABLE` the server does not respond, or the connection broke
 * - `API_FORBIDDEN` 403: the server does not allow this address
 * - `API_NOT_FOUND` 404
 * - `API_CHANGED` 412: the config has changed since it was read
 * - `API_REFUSED` any other 4xx
 * - `API_FAILED` 5xx
 * - `API_SHAPE` the response does not have the form of the admin API
 */
export type ApiErrorCode =
  | "API_UNREACHABLE"
  | "API_FORBIDDEN"
  | "API_NOT_FOUND"
  | "API_CHANGED"
  | "API_REFUSED"
  | "API_FAILED"
  | "API_SHAPE";

/** A failed request, with the server's own message if there is one. */
export class ApiError extends RequestError<ApiErrorCode> {
  /** @param status HTTP status of 400 or more */
  static ofStatus(status: number, message: string): ApiError {
    const codes: Record<number, ApiErrorCode> = {
      403: "API_FORBIDDEN",
      404: "API_NOT_FOUND",
      412: "API_CHANGED",
    };
    return new ApiError(codes[status] ?? (status >= 500 ? "API_FAILED" : "API_REFUSED"), message, { status });
  }
}
