import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "../core/errors.ts";
import { formatListenAddress, type ListenAddress } from "../core/listen/listen-address.ts";
import { openPort } from "../core/listen/open-port.ts";
import { cleanPath, decodePath, splitTarget } from "../core/uri/request-target.ts";
import type { AccessCheck } from "./access-check.ts";
import type { AdminHandler } from "./admin-handler.ts";
import { type AdminReply, jsonReply, readBody } from "./admin-message.ts";
import { adminStatus } from "./admin-status.ts";

// Source: the public model (Caddy 2.11), seen running
const headersTimeoutMs = 5_000;
const requestTimeoutMs = 10_000;
const keepAliveTimeoutMs = 60_000;
const maxHeaderBytes = 64 * 1024;
const closeTimeoutMs = 10_000;

function redirect(request: IncomingMessage, rawPath: string, query: string): AdminReply {
  const location = `${rawPath}${query}`;
  const headers: Record<string, string> = { Location: location };
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { status: 307, headers };
  }
  const shown = location.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  headers["Content-Type"] = "text/html; charset=utf-8";
  return { status: 307, headers, body: `<a href="${shown}">Temporary Redirect</a>.\n\n` };
}

/** The admin endpoint on one address: node's HTTP server, the checks before the handler, the answer after it. */
export class AdminListener {
  readonly #server: Server;
  readonly #handler: AdminHandler;
  readonly #log: Logger;
  #access: AccessCheck | undefined;

  constructor(handler: AdminHandler, log: Logger) {
    this.#handler = handler;
    this.#log = log;
    this.#server = createServer(
      {
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: keepAliveTimeoutMs,
        maxHeaderSize: maxHeaderBytes,
        connectionsCheckingInterval: 1_000,
        // Upgrades are refused by the access check, as requests like any other.
        shouldUpgradeCallback: () => false,
      },
      (request, response) => void this.#serve(request, response),
    );
  }

  /** @returns the address with the port in fact. @throws ServerError LISTEN */
  async open(address: ListenAddress): Promise<ListenAddress> {
    const port = await openPort(this.#server, address);
    const bound = address.network === "tcp" ? { ...address, port } : address;
    this.#server.on("error", (error) => this.#log.error(`admin endpoint: accepting: ${error.message}`));
    this.#log.info(`admin endpoint on ${formatListenAddress(bound)}`);
    return bound;
  }

  /** Who is admitted from now on. Before the first call nobody is. */
  admit(access: AccessCheck): void {
    this.#access = access;
  }

  /** Accepts no more, lets running requests end for ten seconds, then cuts them. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), closeTimeoutMs);
    timer.unref();
    await closed;
    clearTimeout(timer);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let reply: AdminReply;
    let cors: Record<string, string> = {};
    try {
      const target = splitTarget(request.url ?? "/");
      const host = target.authority ?? request.headers.host ?? "";
      if (this.#access === undefined) {
        throw new ServerError("ADMIN_FORBIDDEN", "the endpoint is not ready");
      }
      cors = this.#access.check(request, host);
      reply = await this.#answer(request, target.rawPath, target.query);
    } catch (error) {
      const status = adminStatus(error);
      reply = jsonReply(status, { error: messageOf(error) });
      if (status >= 500) {
        this.#log.error({ err: error }, `admin endpoint: ${request.method} ${request.url}`);
      }
    }
    this.#send(request, response, { ...reply, headers: { ...cors, ...reply.headers } });
  }

  async #answer(request: IncomingMessage, rawPath: string, query: string): Promise<AdminReply> {
    const path = decodePath(rawPath);
    if (path === undefined) {
      throw new ServerError("ADMIN_REQUEST", `invalid URL escape in ${JSON.stringify(rawPath)}`);
    }
    const clean = cleanPath(rawPath);
    if (clean !== rawPath || clean === "/config" || clean === "/id") {
      return redirect(request, clean === "/config" || clean === "/id" ? `${clean}/` : clean, query);
    }
    return this.#handler.handle({
      method: request.method ?? "",
      path,
      header: (name) => String(request.headers[name] ?? ""),
      body: () => readBody(request),
    });
  }

  #send(request: IncomingMessage, response: ServerResponse, reply: AdminReply): void {
    const body = Buffer.from(reply.body ?? "");
    response.on("close", () => reply.afterwards?.());
    if (!request.complete || !this.#server.listening) {
      // An unread body, or an endpoint that moves away: this connection carries no further request.
      response.shouldKeepAlive = false;
    }
    response.writeHead(reply.status, { ...reply.headers, "Content-Length": body.length });
    response.end(body);
  }
}
