import { ServerError, type ServerErrorCode } from "server-core/errors";

const statuses: Partial<Record<ServerErrorCode, number>> = {
  HTTP_BAD_REQUEST: 400,
  HTTP_TRANSFER_ENCODING: 501,
  HTTP_EXPECTATION: 417,
  HTTP_VERSION: 505,
  HTTP_HEADER_TOO_LARGE: 431,
  HTTP_BODY_TOO_LARGE: 413,
  HTTP_TIMEOUT: 408,
  CLIENT_GONE: 499,
  PASSWORDS_BUSY: 503,
  PROXY_UPSTREAM: 502,
  PROXY_NO_UPSTREAM: 503,
};

/** Status of the response to a request that failed; 500 for an unexpected error. */
export function httpStatus(error: unknown): number {
  return (error instanceof ServerError ? statuses[error.code] : undefined) ?? 500;
}
