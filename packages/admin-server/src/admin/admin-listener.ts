// Steps of a request:
//
// | check | answer when it fails |
// |---|---|
// | complete head within 5 s, complete request within 10 s | 408 |
// | head of at most 64 KiB | 431 |
// | exactly one `Host` | 400 |
// | the endpoint's config runs | waits |
// | the gate: origin, host, certificate | 400, 401, 403 |
// | path is clean | 307 to the clean path |
// | handler | the handler's status; an unexpected error is 500 and is logged |
//
// Errors have the body `{"error": "…"}`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  createServer as createTlsServer,
  Server as TlsServer,
  type ServerOptions as TlsServerOptions,
} from "node:https";
import { pipeline } from "node:stream/promises";
import { TLSSocket } from "node:tls";
import type { Logger } from "lifecycle";
import { endHandshakesOnClose } from "lifecycle/open-handshakes";
import {
  type AdminQuestion,
  type AdminReply,
  type AdminRequest,
  jsonReply,
} from "server-core/admin/admin-message";
import { messageOf, ServerError } from "server-core/errors";
import { formatListenAddress, type ListenAddress } from "server-core/listen/listen-address";
import { openPort } from "server-core/listen/open-port";
import { runFor } from "server-core/threads/error-owner";
import { decodeDocumentPath } from "server-core/tree/document-place";
import { cleanPath } from "server-core/uri/clean-path";
import { escapePath } from "server-core/uri/percent-encoding";
import { RequestTarget } from "server-core/uri/request-target";
import type { AdminHandler } from "./admin-handler.ts";
import { adminStatus } from "./admin-status.ts";
import { answerClientError } from "./client-error.ts";
import { drainBody, readBody } from "./request-body.ts";

// Source: Caddy 2.11, observed behavior
/** Milliseconds for the head of a request. A slower client is disconnected. */
const headersTimeoutMs = 5_000;
/** Milliseconds for a whole request, including its body. A slower client is disconnected. */
const requestTimeoutMs = 10_000;
/** Milliseconds that a connection may wait for its next request before it is closed. */
const keepAliveTimeoutMs = 60_000;
/** Maximum number of bytes of a request's head. A larger head gets 431. */
const maxHeaderBytes = 64 * 1024;
/** Milliseconds that running requests get when the endpoint closes. Then their connections are cut. */
const closeTimeoutMs = 10_000;

/** Redirects with 307. The body equals Caddy's body: a link for GET and HEAD, empty for other methods. */
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

/** Decides which client may send which request. */
export interface AdminGate {
  /**
   * @param host host of the request's target; when the target has none, the `Host` field
   * @param path decoded path
   * @returns headers for the response, also for an error
   * @throws ServerError ADMIN_REQUEST, ADMIN_FORBIDDEN, ADMIN_UNKNOWN_CLIENT
   */
  check(request: IncomingMessage, host: string, path: string): Record<string, string>;
  /**
   * Checks an additional request that the server makes for a client, such as a tool of an assistant. The client's own
   * request passed {@link check}, but the client may lack the right to this path or method.
   * @throws ServerError ADMIN_FORBIDDEN, ADMIN_UNKNOWN_CLIENT
   */
  permit(request: IncomingMessage, path: string, method: string): void;
}

/** A request that the gate has allowed. */
interface Admitted extends Pick<RequestTarget, "rawPath" | "query"> {
  /** Decoded path of the request. */
  readonly path: string;
  /**
   * Checks the rights of the client again. A queued change calls this when it runs, because the config may have changed
   * meanwhile.
   */
  readonly admit: () => void;
}

/** The client's address; on a TLS endpoint also the common name of the client's certificate. */
function authorOf({ socket }: IncomingMessage): string {
  const address = socket.remoteAddress?.replace(/^::ffff:/, "") ?? "unix socket";
  const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
  return name === undefined ? address : `${address} (${String(name)})`;
}

/** The admin endpoint on one address: Node's HTTP server, with checks before the handler. */
export class AdminListener {
  readonly #server: Server;
  readonly #handler: AdminHandler;
  readonly #log: Logger;
  /** Name of the endpoint in the log. */
  readonly #name: string;
  #gate: AdminGate | undefined;
  /** Resolves when the config with this endpoint runs, or when the endpoint closes. Requests wait for this promise. */
  readonly #ready = Promise.withResolvers<void>();

  /**
   * @param tls TLS options; absent for plain HTTP
   * @param name name of the endpoint for the log
   */
  constructor(handler: AdminHandler, log: Logger, tls?: TlsServerOptions, name = "admin endpoint") {
    this.#handler = handler;
    this.#log = log;
    this.#name = name;
    const options = {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
      connectionsCheckingInterval: 1_000,
      // The access check refuses upgrades, like other requests.
      shouldUpgradeCallback: () => false,
    };
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      // Errors in the request's timers and promises fail only the request, not the process.
      const owner = {
        fail(error: unknown) {
          response.destroy();
          log.error({ err: error }, `${name}: ${request.method} ${request.url}`);
        },
      };
      runFor(owner, () => void this.#serve(request, response).catch(owner.fail));
    };
    this.#server =
      tls === undefined ? createServer(options, serve) : createTlsServer({ ...options, ...tls }, serve);
    endHandshakesOnClose(this.#server);
    this.#server.on("checkContinue", serve);
    this.#server.on("clientError", answerClientError);
  }

  /** @returns the address with the actual port. @throws ServerError LISTEN */
  async open(address: ListenAddress): Promise<ListenAddress> {
    const port = await openPort(this.#server, address);
    const bound = address.network === "tcp" ? { ...address, port } : address;
    this.#server.on("error", (error) => this.#log.error(`${this.#name}: accepting: ${error.message}`));
    this.#log.info(`${this.#name} on ${formatListenAddress(bound)}`);
    return bound;
  }

  /** Sets the gate that checks all later requests. Requests before the first call wait. */
  admit(gate: AdminGate): void {
    this.#gate = gate;
    this.#ready.resolve();
  }

  /** Replaces the certificate of a TLS endpoint. */
  present(tls: TlsServerOptions): void {
    if (this.#server instanceof TlsServer) {
      this.#server.setSecureContext(tls);
    }
  }

  /** Stops accepting, waits up to ten seconds for running requests, then closes their connections. */
  async close(): Promise<void> {
    this.#ready.resolve();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), closeTimeoutMs);
    timer.unref();
    await closed;
    clearTimeout(timer);
  }

  /** Answers one request. Never throws: errors become responses. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let reply: AdminReply;
    let always: Record<string, string> = {};
    try {
      const target = RequestTarget.parse(request.url ?? "/");
      const isTarget = typeof target !== "string";
      const path = isTarget ? (decodeDocumentPath(target.rawPath) ?? "") : "";
      always = this.#handler.headersOf(path);
      const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name));
      if (hosts.length > 1) {
        throw new ServerError("ADMIN_REQUEST", "too many Host headers");
      }
      await this.#ready.promise;
      const admit = () => this.#check(request, isTarget ? target.authority : undefined, path);
      always = { ...always, ...admit() };
      if (!isTarget) {
        throw new ServerError("ADMIN_REQUEST", target);
      }
      reply = await this.#answer(request, response, { ...target, path, admit });
    } catch (error) {
      const status = adminStatus(error);
      reply = jsonReply(status, { error: messageOf(error) });
      if (status >= 500) {
        this.#log.error({ err: error }, `${this.#name}: ${request.method} ${request.url}`);
      }
    }
    await this.#send(request, response, { ...reply, headers: { ...always, ...reply.headers } });
  }

  /** @returns headers for the response. @throws ServerError */
  #check(request: IncomingMessage, authority: string | undefined, path: string): Record<string, string> {
    return this.#openGate.check(request, authority ?? request.headers.host ?? "", path);
  }

  /** @throws ServerError */
  get #openGate(): AdminGate {
    if (this.#gate === undefined) {
      throw new ServerError("ADMIN_BUSY", "the config that opens this endpoint does not run");
    }
    return this.#gate;
  }

  /** Makes an additional request with the rights of a request's client. */
  async #ask(asking: AdminRequest, request: IncomingMessage, question: AdminQuestion): Promise<AdminReply> {
    const { method, path, query, headers = {}, body = new Uint8Array() } = question;
    const admit = () => {
      asking.admit();
      this.#openGate.permit(request, path, method);
    };
    try {
      if (cleanPath(path) !== path) {
        throw new ServerError("ADMIN_REQUEST", `not a clean path: ${path}`);
      }
      admit();
      return await this.#handler.handle({
        ...{ method, path, query: query ?? new URLSearchParams(), admit },
        author: asking.author,
        signal: asking.signal,
        header: (name) => headers[name.toLowerCase()] ?? "",
        body: async () => body,
        ask: () => Promise.reject(new ServerError("ADMIN_REQUEST", "a question asks no further ones")),
      });
    } catch (error) {
      return jsonReply(adminStatus(error), { error: messageOf(error) });
    }
  }

  /** Passes a request to the handler, or redirects to the clean form of its path. */
  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    { rawPath, query, path, admit }: Admitted,
  ): Promise<AdminReply> {
    const clean = cleanPath(rawPath);
    const lacksSlash = this.#handler.lacksSlash(clean);
    if (clean !== rawPath || lacksSlash) {
      return redirect(request, lacksSlash ? `${clean}/` : clean, query);
    }
    const cleanDecoded = cleanPath(path);
    if (cleanDecoded !== path) {
      // Encoded dots (%2e) could lead out of the paths that a permission allows.
      const location = escapePath(cleanDecoded).replace(/^\/id\/[^/]*/, (id) =>
        id.replaceAll(/%25(25|2F)/g, "%$1"),
      );
      return redirect(request, location, query);
    }
    // Created on demand, because few routes read the signal, and an abort without a listener costs an error with its
    // stack.
    let gone: AbortController | undefined;
    response.once("close", () => gone?.abort());
    const asking: AdminRequest = {
      method: request.method ?? "",
      path,
      query: new URLSearchParams(query),
      author: authorOf(request),
      admit,
      get signal() {
        gone ??= new AbortController();
        if (response.closed) {
          gone.abort();
        }
        return gone.signal;
      },
      header: (name) => String(request.headers[name] ?? ""),
      body: () => readBody(request, response),
      ask: (question) => this.#ask(asking, request, question),
    };
    return this.#handler.handle(asking);
  }

  /**
   * Writes the response. When the request's body was not read, part of it is read and dropped, and then the connection
   * is closed.
   */
  async #send(request: IncomingMessage, response: ServerResponse, reply: AdminReply): Promise<void> {
    response.on("close", () => reply.afterwards?.());
    const isUnread = !request.complete;
    if (isUnread || !this.#server.listening) {
      // The body is unread, or the endpoint is closing: this connection carries no further request.
      response.shouldKeepAlive = false;
    }
    const body = reply.body ?? "";
    if (typeof body !== "string" && !(body instanceof Uint8Array)) {
      response.writeHead(reply.status, reply.headers);
      await pipeline(body, response).catch(() => response.destroy());
      return;
    }
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    response.writeHead(reply.status, { ...reply.headers, "Content-Length": bytes.length });
    if (isUnread) {
      response.write(bytes);
      await drainBody(request);
      response.end();
    } else {
      response.end(bytes);
    }
  }
}
