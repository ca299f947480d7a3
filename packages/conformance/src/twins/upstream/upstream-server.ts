import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { fieldOf, type Message, MessageReader } from "../client/message-reader.ts";
import type { MarkedPort } from "../site-marks.ts";
import { behave } from "./behaviours.ts";
import type { SeenRequests } from "./seen-requests.ts";

/** Answers the requests of a connection one after the other. */
class UpstreamConnection {
  readonly #socket: Socket;
  readonly #to: MarkedPort;
  readonly #seen: SeenRequests;
  readonly #reader = new MessageReader();
  #answered = 0;
  #isBusy = false;
  #wake: () => void = () => {};

  constructor(socket: Socket, to: MarkedPort, seen: SeenRequests) {
    this.#socket = socket;
    this.#to = to;
    this.#seen = seen;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      this.#reader.push(chunk);
      this.#wake();
      void this.#answer();
    });
    socket.on("close", () => this.#wake());
    // An idle connection ends when the server half-closes it.
    socket.on("end", () => {
      if (!this.#isBusy) {
        socket.end();
      }
      this.#wake();
    });
  }

  async #answer(): Promise<void> {
    const request = this.#reader.messages[this.#answered];
    if (this.#isBusy || request === undefined) {
      return;
    }
    this.#isBusy = true;
    this.#answered++;
    const behaviour = this.#wanted(request);
    const record = this.#seen.begin(this.#to, request);
    const isReused = this.#answered > 1;
    const writtenBefore = this.#socket.bytesWritten;
    await behave(behaviour, {
      socket: this.#socket,
      request,
      progress: this.#seen.progressOf(record.id),
      pieceLimitMs: this.#seen.pieceLimitMs,
      argument: behaviour.split("=").slice(1).join("="),
      wholeRequest: () => this.#whole(request),
      noteFlow: (hasArrived) => this.#seen.noteFlow(record.id, hasArrived),
    });
    await this.#whole(request);
    const isOver = this.#socket.destroyed || this.#socket.writableEnded;
    if (isReused && isOver && this.#socket.bytesWritten === writtenBefore) {
      record.lose();
    }
    record.finish();
    this.#isBusy = false;
    await this.#answer();
  }

  #wanted({ fields }: Message): string {
    return this.#to === "AUTH"
      ? `auth=${fieldOf(fields, "x-twin-auth") ?? "200"}`
      : (fieldOf(fields, "x-twin-do") ?? "ok");
  }

  async #whole(request: Message): Promise<boolean> {
    while (!request.isComplete && !this.#socket.destroyed && !this.#socket.readableEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return request.isComplete;
  }
}

/** An upstream that reads and writes bytes itself, so that it can send answers that no HTTP library sends. */
export async function openUpstream(
  address: string,
  port: number,
  to: MarkedPort,
  seen: SeenRequests,
  certificate?: { readonly cert: string; readonly key: string },
): Promise<Server> {
  const take = (socket: Socket) => {
    seen.opened(socket);
    new UpstreamConnection(socket, to, seen);
  };
  const server =
    certificate === undefined
      ? createServer({ allowHalfOpen: true }, take)
      : createTlsServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, take);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve());
  });
  return server;
}
