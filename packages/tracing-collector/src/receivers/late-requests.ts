import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Rounds of the event loop in which a late sender sends nothing, until it is refused. */
const quietRounds = 3;
/** Seconds after which a sender tries a refused request again. */
const retryAfter = 1;

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
};

/** Answers requests that `node:http` refuses, and lets those end whose bytes wait to be read. */
export class LateRequests {
  readonly #running = new WeakMap<Socket, ServerResponse>();

  /** Notes a request whose headers are there. */
  begin(response: ServerResponse): void {
    if (response.socket !== null) {
      this.#running.set(response.socket, response);
    }
  }

  /** @param error of `clientError` */
  refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
      this.#wait(socket, socket.bytesRead, 0);
    } else {
      this.#answer(socket, refusals[error.code ?? ""] ?? "400 Bad Request");
    }
  }

  /** A busy process finds that a request is late before it reads what the sender sent in time. */
  #wait(socket: Socket, bytesRead: number, quiet: number): void {
    setImmediate(() => {
      const request = this.#running.get(socket)?.req;
      if (socket.destroyed || request?.complete === true) {
        return;
      }
      if (socket.bytesRead > bytesRead) {
        this.#wait(socket, socket.bytesRead, 0);
      } else if (quiet < quietRounds) {
        this.#wait(socket, bytesRead, quiet + 1);
      } else if (request === undefined) {
        this.#answer(socket, "408 Request Timeout");
      } else {
        // Exporters drop spans at a 408.
        this.#answer(socket, "503 Service Unavailable", `Retry-After: ${retryAfter}\r\n`);
      }
    });
  }

  #answer(socket: Socket, line: string, headers = ""): void {
    if (socket.writable && this.#running.get(socket)?.headersSent !== true) {
      socket.write(`HTTP/1.1 ${line}\r\n${headers}Content-Length: 0\r\nConnection: close\r\n\r\n`);
    }
    socket.destroy();
  }
}
