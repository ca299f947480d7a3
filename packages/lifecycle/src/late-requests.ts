import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** A late sender is refused when it has sent nothing for this number of turns of the event loop. */
const quietRounds = 3;
/** Number of seconds after which a sender should repeat a refused request. */
const retryAfter = 1;

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
};

/** A connection of `node:http`, with the number of bytes read and the current response. */
interface HttpSocket extends Duplex {
  readonly bytesRead?: number;
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Calls `refuse` when the sender has really missed the deadline. A busy process may reach the time limit before it has
 * read bytes that the sender sent in time. All waiting bytes are therefore read first, and a request that is complete
 * afterwards is served.
 * @param refuse called with the request whose body missed the deadline, or with undefined when the headers missed it
 */
export function whenLate(socket: HttpSocket, refuse: (request: IncomingMessage | undefined) => void): void {
  const wait = (bytesRead: number, quiet: number) => {
    setImmediate(() => {
      const request = socket._httpMessage?.req;
      const { bytesRead: now = 0 } = socket;
      if (socket.destroyed || request?.complete === true) {
        return;
      }
      if (now === bytesRead && quiet === quietRounds) {
        refuse(request);
      } else {
        wait(now, now === bytesRead ? quiet + 1 : 0);
      }
    });
  };
  wait(socket.bytesRead ?? 0, 0);
}

function answer(socket: HttpSocket, line: string, headers = ""): void {
  if (socket.writable && socket._httpMessage?.headersSent !== true) {
    socket.write(`HTTP/1.1 ${line}\r\n${headers}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  }
  socket.destroy();
}

/**
 * Answers a request that `node:http` has refused, and ends its connection. A body that missed the deadline gets 503
 * with `Retry-After`: exporters drop spans at a 408.
 * @param error of the event `clientError`
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT") {
    answer(socket, refusals[error.code ?? ""] ?? "400 Bad Request");
    return;
  }
  whenLate(socket, (request) => {
    if (request === undefined) {
      answer(socket, "408 Request Timeout");
    } else {
      answer(socket, "503 Service Unavailable", `Retry-After: ${retryAfter}\r\n`);
    }
  });
}
