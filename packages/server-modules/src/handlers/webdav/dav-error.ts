import type { Exchange } from "http-engine/exchange";
import { setContentLength } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { statusText } from "http-protocols/http1/response-start";
import { openError } from "../file-server/file-error.ts";

/** Statuses of failed writes, in addition to failed reads. Source: RFC 4918, section 11 */
const writeStatuses: Readonly<Record<string, number>> = {
  ENOSPC: 507,
  EDQUOT: 507,
  EFBIG: 413,
  EEXIST: 409,
  ENOTEMPTY: 409,
  EISDIR: 409,
  EBUSY: 403,
  EROFS: 403,
  EXDEV: 403,
  ERR_FS_CP_FIFO_PIPE: 403,
  ERR_FS_CP_SOCKET: 403,
};

/** An error response: a text, or the violated precondition of RFC 4918. */
export class DavError extends HttpError {
  /** XML of the violated precondition, with the prefix D; "" for a plain text. */
  readonly condition: string;

  constructor(status: number, message = statusText(status), condition = "") {
    super(status, message);
    this.condition = condition;
  }
}

/** Converts a file system error into an error for the client; other errors stay unchanged. */
export function davErrorOf(error: unknown, exchange: Exchange): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === "HTTP_BODY_TOO_LARGE") {
    return new DavError(413, (error as Error).message);
  }
  const status = writeStatuses[code ?? ""];
  if (status !== undefined) {
    return new DavError(status);
  }
  if (syscall === undefined) {
    return error;
  }
  const failure = openError(error, exchange);
  // The message contains a path of this machine, which only the log may show.
  return failure.status < 500 ? new DavError(failure.status) : failure;
}

/** Sends the error as text, or as the violated precondition. */
export function refuse(exchange: Exchange, { status, message, condition }: DavError): void {
  const { responseHeaders } = exchange;
  const isXml = condition !== "";
  const body = Buffer.from(
    isXml
      ? `<?xml version="1.0" encoding="UTF-8"?><D:error xmlns:D="DAV:">${condition}</D:error>`
      : `${message}\n`,
  );
  responseHeaders.push("Content-Type", isXml ? "text/xml; charset=utf-8" : "text/plain; charset=utf-8");
  responseHeaders.push("X-Content-Type-Options", "nosniff");
  setContentLength(responseHeaders, body.length);
  exchange.respond(status, exchange.method === "HEAD" ? "" : body);
}
