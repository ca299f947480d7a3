import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "lifecycle";
import { formatListenAddress, type ListenAddress } from "../core/listen/listen-address.ts";
import { openPort } from "../core/listen/open-port.ts";
import type { ResourceKind, SharedResource } from "../core/modules/usage-pool.ts";
import { httpStatus } from "./http-status.ts";
import type { DetachedConnection, HttpStream } from "./http-stream.ts";
import { NodeStream } from "./node-stream.ts";

/** How connections are treated; taken over with each config. */
export interface ConnectionLimits {
  readonly readHeaderTimeoutMs: number;
  /** 0: unlimited. */
  readonly readTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/** Who gets the requests of a listener. */
export interface RequestSink {
  readonly limits: ConnectionLimits;
  take(stream: HttpStream): void;
}

/** Requests that came in before the first config was switched on. */
const maxHeldRequests = 1_000;

// Statuses of requests that node's strict parser refuses; 400 for all others. Source: the public model (Caddy 2.11)
const parseErrorStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/**
 * Whether a request may leave HTTP. Declined, by answering in HTTP/1.1 as RFC 9110 section 7.8 allows: h2c, and requests
 * with a body, since node reads none of an upgrade and would take it for bytes of the new protocol.
 */
function mayUpgrade({ headers }: IncomingMessage): boolean {
  const hasBody = Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined;
  return !hasBody && headers.upgrade?.toLowerCase() !== "h2c";
}

export const httpListeners: ResourceKind<SharedListener> = { name: "http.listener" };

/**
 * One open address. It outlives configs: a reload only changes who gets the next request, also of connections that are
 * open already, so a reload closes and refuses nothing.
 */
export class SharedListener implements SharedResource {
  readonly #server: Server;
  readonly #address: ListenAddress;
  readonly #log: Logger;
  readonly #tunnels = new Set<Duplex>();
  /** Connections with a request under way: a parse error there is of its body, and what follows gets no answer. */
  readonly #busy = new WeakSet<Duplex>();
  #held: (() => void)[] = [];
  #sink: RequestSink | undefined;
  #port = 0;

  private constructor(address: ListenAddress, log: Logger) {
    this.#address = address;
    this.#log = log;
    this.#server = createServer({
      requireHostHeader: true,
      insecureHTTPParser: false,
      connectionsCheckingInterval: 1_000,
      shouldUpgradeCallback: mayUpgrade,
    });
    // Bytes are what is limited; node would drop headers past a count in silence.
    this.#server.maxHeadersCount = 0;
    this.#server.on("request", (request, response) => this.#dispatch(request, response));
    this.#server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || error.code === "ECONNRESET" || this.#busy.has(socket)) {
        socket.destroy();
        return;
      }
      const status = parseErrorStatus[error.code ?? ""] ?? "400 Bad Request";
      socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    });
  }

  /** @throws ServerError LISTEN */
  static async open(address: ListenAddress, limits: ConnectionLimits, log: Logger): Promise<SharedListener> {
    const listener = new SharedListener(address, log);
    listener.#limit(limits);
    listener.#port = await openPort(listener.#server, address);
    listener.#server.on("error", (error) => log.error(`accepting on ${listener.address}: ${error.message}`));
    log.info(`serving HTTP on ${listener.address}`);
    return listener;
  }

  /** With the port in fact. */
  get address(): string {
    const address = this.#address;
    return formatListenAddress(address.network === "tcp" ? { ...address, port: this.#port } : address);
  }

  /** From now on requests go to `sink`. */
  switchTo(sink: RequestSink): void {
    this.#sink = sink;
    this.#limit(sink.limits);
    for (const dispatch of this.#held.splice(0)) {
      dispatch();
    }
  }

  /** Whether it still accepts; a response on one that does not is the last of its connection. */
  get accepting(): boolean {
    return this.#server.listening;
  }

  /** Accepts no more. Running responses end; idle connections and tunnels close now. */
  close(): void {
    this.#server.close();
    if (this.#sink === undefined) {
      this.#server.closeAllConnections(); // its config never ran, nobody will answer these
    }
    for (const socket of this.#tunnels) {
      socket.destroy();
    }
    this.#log.info(`no longer serving on ${this.address}`);
  }

  #limit(limits: ConnectionLimits): void {
    this.#server.headersTimeout = limits.readHeaderTimeoutMs;
    this.#server.requestTimeout = limits.readTimeoutMs;
    this.#server.keepAliveTimeout = limits.idleTimeoutMs;
    (this.#server as { maxHeaderSize?: number }).maxHeaderSize = limits.maxHeaderBytes;
  }

  #dispatch(request: IncomingMessage, response: ServerResponse, upgrade?: DetachedConnection): void {
    if (this.#sink === undefined) {
      this.#hold(request, response, upgrade);
      return;
    }
    const { socket } = request;
    this.#busy.add(socket);
    response.once("close", () => {
      this.#busy.delete(socket);
      if (!this.accepting) {
        this.#server.closeIdleConnections();
      }
    });
    try {
      this.#sink.take(new NodeStream(request, response, upgrade));
    } catch (error) {
      response.shouldKeepAlive = false;
      response.writeHead(httpStatus(error), { "Content-Length": 0 }).end();
    }
  }

  #hold(request: IncomingMessage, response: ServerResponse, upgrade: DetachedConnection | undefined): void {
    if (this.#held.length >= maxHeldRequests) {
      request.socket.destroy();
    } else {
      this.#held.push(() => this.#dispatch(request, response, upgrade));
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#tunnels.add(socket);
    socket.on("error", () => socket.destroy());
    // A response for handlers that answer in HTTP, and for upstreams that decline.
    const response = new ServerResponse(request);
    socket.once("close", () => {
      this.#tunnels.delete(socket);
      response.emit("close"); // for responses of its own making node does this itself
    });
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once("finish", () => {
      response.detachSocket(request.socket);
      socket.end();
    });
    this.#dispatch(request, response, { socket, head });
  }
}
