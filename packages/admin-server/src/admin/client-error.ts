import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { whenLate } from "lifecycle/late-requests";

/** An error of Node's HTTP parser. */
interface ClientError extends NodeJS.ErrnoException {
  /** Bytes read by Node before its parser failed. */
  readonly rawPacket?: Buffer;
}

/** Status lines by error code; all other codes are 400. */
const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Content Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** The method of a request line that `node:http` does not know; undefined for other errors. */
function unknownMethod({ code, rawPacket }: ClientError): string | undefined {
  return code === "HPE_INVALID_METHOD"
    ? /^([!#$%&'*+.^`|~\w-]{1,40}) \/\S* HTTP\/1\.[01]\r\n/.exec(rawPacket?.toString("latin1") ?? "")?.[1]
    : undefined;
}

/**
 * Answers a request that `node:http` refuses, and closes its connection. An unknown method is 405. A request that
 * arrived in time is served, even if the server reads it late.
 */
export function answerClientError(error: ClientError, socket: Duplex): void {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    whenLate(socket, () => refuse(error, socket));
  } else {
    refuse(error, socket);
  }
}

/**
 * Writes the response by hand, because Node has no response object for an unreadable request. When a response has begun
 * on the connection, the connection is closed instead.
 */
function refuse(error: ClientError, socket: Duplex): void {
  const running = (socket as Duplex & { _httpMessage?: ServerResponse })._httpMessage;
  if (!socket.writable || running?.headersSent === true) {
    socket.destroy();
    return;
  }
  const method = unknownMethod(error);
  const line =
    method === undefined ? (statusLines[error.code ?? ""] ?? "400 Bad Request") : "405 Method Not Allowed";
  const body = method === undefined ? "" : `${JSON.stringify({ error: `method ${method} not allowed` })}\n`;
  const type = body === "" ? "" : "Content-Type: application/json\r\n";
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
