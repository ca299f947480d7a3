import { RequestError } from "ui-kit/request-error.ts";

/**
 * Why the server gave no answer that could be used:
 * - `API_UNREACHABLE` the server does not answer, or the connection broke
 * - `API_FORBIDDEN` 403: it does not admit this address
 * - `API_NOT_FOUND` 404
 * - `API_CHANGED` 412: the config is another one than the one that was read
 * - `API_REFUSED` any other 4xx
 * - `API_FAILED` 5xx
 * - `API_SHAPE` the answer is not what the admin API gives
 */
export type ApiErrorCode =
  | "API_UNREACHABLE"
  | "API_FORBIDDEN"
  | "API_NOT_FOUND"
  | "API_CHANGED"
  | "API_REFUSED"
  | "API_FAILED"
  | "API_SHAPE";

/** A request that failed, in the server's own words where it had some. */
export class ApiError extends RequestError<ApiErrorCode> {
  /** @param status of 400 and above */
  static ofStatus(status: number, message: string): ApiError {
    const codes: Record<number, ApiErrorCode> = {
      403: "API_FORBIDDEN",
      404: "API_NOT_FOUND",
      412: "API_CHANGED",
    };
    return new ApiError(codes[status] ?? (status >= 500 ? "API_FAILED" : "API_REFUSED"), message, { status });
  }
}
