import { Http1Error, type Http1Fault } from "http-protocols/http1/http1-error";
import { ServerError, type ServerErrorCode } from "server-core/errors";

const codes: Readonly<Record<Http1Fault, ServerErrorCode>> = {
  malformed: "HTTP_BAD_REQUEST",
  version: "HTTP_VERSION",
  "transfer-encoding": "HTTP_TRANSFER_ENCODING",
  expectation: "HTTP_EXPECTATION",
  "head-too-large": "HTTP_HEADER_TOO_LARGE",
  late: "HTTP_TIMEOUT",
  gone: "CLIENT_GONE",
};

/** The server's error for bytes that an HTTP/1 parser refused; other errors are returned unchanged. */
export function serverErrorOf(error: unknown): ServerError {
  return error instanceof Http1Error
    ? new ServerError(codes[error.fault], error.message)
    : (error as ServerError);
}
