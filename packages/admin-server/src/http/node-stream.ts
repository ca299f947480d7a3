import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { ServerError } from "../core/errors.ts";
import type { HeaderList } from "./header-list.ts";
import type { DetachedConnection, HttpStream } from "./http-stream.ts";

/** HTTP/1.1 by node's own server. */
export class NodeStream implements HttpStream {
  readonly version: string;
  readonly method: string;
  readonly target: string;
  readonly authority = undefined;
  readonly headers: HeaderList;
  readonly socket: Socket;
  readonly hasBody: boolean;
  readonly bodyLength: number | undefined;
  readonly upgradeProtocol: string;
  onClose: (() => void) | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #upgrade: DetachedConnection | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    upgrade?: { socket: Duplex; head: Buffer },
  ) {
    const coding = request.headers["transfer-encoding"] ?? "";
    if (coding !== "" && coding.toLowerCase() !== "chunked") {
      // Node hands such a request over before its parser refuses the body.
      throw new ServerError("HTTP_TRANSFER_ENCODING", `unknown transfer encoding ${JSON.stringify(coding)}`);
    }
    this.#request = request;
    this.#response = response;
    this.#upgrade = upgrade;
    this.version = request.httpVersion;
    this.method = request.method ?? "GET";
    this.target = request.url ?? "/";
    this.headers = request.rawHeaders;
    this.socket = request.socket;
    const length = request.headers["content-length"];
    this.bodyLength = length === undefined ? undefined : Number(length);
    this.hasBody = request.headers["transfer-encoding"] !== undefined || (this.bodyLength ?? 0) > 0;
    this.upgradeProtocol = upgrade === undefined ? "" : (request.headers.upgrade ?? "");
    response.once("close", () => this.onClose?.());
  }

  get body(): Readable {
    return this.#request;
  }

  get bodyTouched(): boolean {
    return this.#request.readableDidRead;
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  get complete(): boolean {
    return this.#response.writableFinished;
  }

  get closed(): boolean {
    return this.#response.writableEnded || this.socket.destroyed;
  }

  respond(status: number, headers: HeaderList, body: Uint8Array | string): void {
    this.writeHead(status, headers);
    this.#response.end(body);
  }

  writeHead(status: number, headers: HeaderList): void {
    for (const name of this.#response.getHeaderNames()) {
      this.#response.removeHeader(name);
    }
    try {
      this.#response.writeHead(status, STATUS_CODES[status] ?? "", headers);
    } catch (error) {
      throw new ServerError("HTTP_RESPONSE", (error as Error).message, { cause: error });
    }
  }

  write(chunk: Uint8Array | string): boolean {
    return this.#response.write(chunk);
  }

  end(chunk: Uint8Array | string = ""): void {
    this.#response.end(chunk);
  }

  flush(): void {
    this.#response.flushHeaders();
  }

  addTrailers(trailers: HeaderList): void {
    for (let index = 0; index < trailers.length; index += 2) {
      this.#response.addTrailers({ [trailers[index] ?? ""]: trailers[index + 1] ?? "" });
    }
  }

  onceDrain(callback: () => void): void {
    this.#response.once("drain", callback);
  }

  closeAfterwards(): void {
    this.#response.shouldKeepAlive = false;
  }

  switchProtocols(headers: HeaderList): DetachedConnection {
    const upgrade = this.#upgrade;
    if (upgrade === undefined) {
      throw new ServerError("HTTP_RESPONSE", "the request asks for no upgrade");
    }
    const lines = [`HTTP/1.1 101 ${STATUS_CODES[101]}`];
    for (let index = 0; index < headers.length; index += 2) {
      if (/[\r\n\0]/.test(`${headers[index]}${headers[index + 1]}`)) {
        throw new ServerError("HTTP_RESPONSE", `invalid header ${headers[index]}`);
      }
      lines.push(`${headers[index]}: ${headers[index + 1]}`);
    }
    this.#response.detachSocket(this.socket);
    upgrade.socket.write(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
    return upgrade;
  }

  writeInterim(status: number, headers: HeaderList): void {
    if (status === 103) {
      this.#response.writeEarlyHints({ link: headers.filter((_, index) => index % 2 === 1) });
    }
  }

  destroy(): void {
    this.socket.destroy();
  }
}
