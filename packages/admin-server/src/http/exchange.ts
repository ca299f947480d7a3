import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ServerError } from "../core/errors.ts";
import { cleanPath, decodePath, splitTarget } from "../core/uri/request-target.ts";
import { getHeader, getHeaders, type HeaderList } from "./header-list.ts";
import type { RequestTrace } from "./request-trace.ts";

/** A connection that asks to leave HTTP, with the bytes that came after the request. */
export interface UpgradeRequest {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** What an exchange knows of the server that runs it. */
export interface ExchangeServer {
  /** Value of the `Server` header and name in `Via`. */
  readonly product: string;
}

/** One request and its response, as handlers see them. */
export class Exchange {
  readonly server: ExchangeServer;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The connection; node forgets it on the request when the body was piped away. */
  readonly socket: Socket;
  readonly upgrade: UpgradeRequest | undefined;
  readonly method: string;
  /** As sent: percent-encoded, not cleaned. */
  readonly rawPath: string;
  /** With its `?`, or "". */
  readonly query: string;
  /** `Host`, or the authority of an absolute target, as sent: `Example.com:8080`. */
  readonly hostport: string;
  /** Fields of the request as handlers left them so far. */
  requestHeaders: HeaderList;
  /** Fields of the response until its head is sent. */
  readonly responseHeaders: HeaderList;
  /** What handlers tell one another; `{http.vars.<name>}`. */
  readonly vars = new Map<string, string>();
  /** Set while a tracing handler is around. */
  trace: RequestTrace | undefined;
  readonly #beforeHead: ((headers: HeaderList, status: number) => void)[] = [];
  readonly #onEnd: (() => void)[] = [];
  #path: string | undefined;
  #ended = false;
  #detached = false;

  /** @throws ServerError HTTP_BAD_REQUEST for a target or a Host that cannot be; HTTP_TRANSFER_ENCODING */
  constructor(
    server: ExchangeServer,
    request: IncomingMessage,
    response: ServerResponse,
    upgrade?: UpgradeRequest,
  ) {
    const target = splitTarget(request.url ?? "/");
    const hosts = getHeaders(request.rawHeaders, "host");
    if (hosts.length > 1) {
      throw new ServerError("HTTP_BAD_REQUEST", `${hosts.length} Host headers, limit 1`);
    }
    const hostport = target.authority ?? hosts[0] ?? "";
    if (/[\s/\\?#@,<>"]/.test(hostport)) {
      throw new ServerError("HTTP_BAD_REQUEST", `malformed Host header ${JSON.stringify(hostport)}`);
    }
    const coding = getHeaders(request.rawHeaders, "transfer-encoding").join(",");
    if (coding !== "" && coding.toLowerCase() !== "chunked") {
      // Node hands such a request over before its parser refuses the body.
      throw new ServerError("HTTP_TRANSFER_ENCODING", `unknown transfer encoding ${JSON.stringify(coding)}`);
    }
    this.server = server;
    this.request = request;
    this.response = response;
    this.socket = request.socket;
    this.upgrade = upgrade;
    this.method = request.method ?? "GET";
    this.rawPath = target.rawPath;
    this.query = target.query;
    this.hostport = hostport;
    this.requestHeaders = request.rawHeaders;
    this.responseHeaders = ["Server", server.product];
    const path = decodePath(target.rawPath);
    if (path === undefined) {
      throw new ServerError("HTTP_BAD_REQUEST", `invalid URL escape in ${JSON.stringify(target.rawPath)}`);
    }
    this.#path = path.includes("\0") ? undefined : path;
    if (this.#path === undefined) {
      throw new ServerError("HTTP_BAD_REQUEST", "the path contains a NUL");
    }
  }

  /** Decoded, not cleaned. */
  get path(): string {
    return this.#path ?? "/";
  }

  /** Decoded, without empty, `.` and `..` segments. */
  get cleanedPath(): string {
    return cleanPath(this.path);
  }

  /** Without port and brackets, lower case. */
  get host(): string {
    const match = /^\[(.*)\](?::\d*)?$/.exec(this.hostport);
    return (match?.[1] ?? this.hostport.replace(/:\d*$/, "")).toLowerCase();
  }

  get scheme(): "http" | "https" {
    return "encrypted" in this.socket ? "https" : "http";
  }

  /** The first value of a request header; "" when absent. */
  header(name: string): string {
    return getHeader(this.requestHeaders, name) ?? "";
  }

  /** Fields of the request, in a copy of its own for a handler to change. */
  changeRequestHeaders(change: (headers: HeaderList) => void): void {
    const copy = [...this.requestHeaders];
    change(copy);
    this.requestHeaders = copy;
  }

  get headSent(): boolean {
    return this.response.headersSent || this.#detached;
  }

  /** Whether response and connection are done with. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The connection left HTTP: it is not counted as a request under way any more. */
  get detached(): boolean {
    return this.#detached;
  }

  /** Calls back just before the head is sent; the last to ask is the first to be called, as with nested handlers. */
  beforeHead(callback: (headers: HeaderList, status: number) => void): void {
    this.#beforeHead.push(callback);
  }

  /** Calls back once, when the response is sent or given up, or the tunnel ended. */
  onEnd(callback: () => void): void {
    if (this.#ended) {
      callback();
    } else {
      this.#onEnd.push(callback);
    }
  }

  /** The fields of the response as handlers want them sent with `status`. Asked for once. */
  finalHeaders(status: number): HeaderList {
    for (const callback of this.#beforeHead.splice(0).reverse()) {
      callback(this.responseHeaders, status);
    }
    return this.responseHeaders;
  }

  /**
   * Sends status and headers.
   * @throws ServerError HTTP_RESPONSE when they cannot stand in a response (a status out of range, a newline in a value)
   */
  writeHead(status: number): void {
    const headers = this.finalHeaders(status);
    try {
      this.response.writeHead(status, STATUS_CODES[status] ?? "", headers);
    } catch (error) {
      throw new ServerError("HTTP_RESPONSE", (error as Error).message, { cause: error });
    }
  }

  /** Takes the connection out of HTTP. The caller must call `end` when it is done with it. */
  detach(): void {
    this.#detached = true;
  }

  /** Called by who runs the exchange, and by the taker of a detached connection. */
  end(): void {
    if (!this.#ended) {
      this.#ended = true;
      for (const callback of this.#onEnd.splice(0)) {
        callback();
      }
    }
  }
}
