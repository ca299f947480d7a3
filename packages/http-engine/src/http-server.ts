import { challengeTokenOf } from "certificates/acme/challenge-names";
import type { ChallengeRequest } from "certificates/material/certificate-messages";
import { tlsDetails } from "certificates/tls/connection/tls-details";
import type { Logger } from "lifecycle";
import { ServerError } from "server-core/errors";
import { runFor } from "server-core/threads/error-owner";
import { ActiveExchanges } from "./active-exchanges.ts";
import { type ClientAddressRules, clientAddress, isTrustedProxy } from "./client-address.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { ListenerWrappers } from "./connection-wrapper.ts";
import { Exchange, type ExchangeServer } from "./exchange.ts";
import { type HeaderList, removeHeaders, setHeader } from "./header-list.ts";
import { HttpError } from "./http-error.ts";
import type { HttpStream } from "./http-stream.ts";
import { refusalOf } from "./refusal.ts";
import { RequestMemo } from "./request-memo.ts";
import type { RequestsUnderWay } from "./requests-under-way.ts";
import type { ResponseTally } from "./response-tally.ts";
import type { RouteReading } from "./route-figures.ts";
import { answerError, type RouteList } from "./routes.ts";
import { serverProduct } from "./server-product.ts";
import type { RequestSink } from "./shared-listener.ts";

/** Fields that describe the framing or the encoding of a body. */
const ofBody = new Set(["content-length", "content-encoding", "content-range", "transfer-encoding"]);

/** Runs after the last route; {@link answerNothing} then checks whether any handler has answered. */
function nothing(): void {}

/** Responds to `OPTIONS *`, which concerns the server and not a resource, as Caddy does. */
function answerGeneralOptions(stream: HttpStream): void {
  stream.respond(200, ["Content-Length", "0"], "");
}

/** Answers when no route did: 200 without a body, past all filters. Source: Caddy 2.11 */
function answerNothing(exchange: Exchange): void {
  if (exchange.error !== undefined) {
    answerErrorAtLast(exchange); // after an error in a subroute, the response must not look like success
  } else if (!exchange.answered) {
    // The access log marks such requests; Caddy sets a variable with the same name.
    exchange.vars.set("unhandled", true);
    exchange.restartResponse();
    setHeader(exchange.responseHeaders, "Content-Length", "0");
    exchange.respond(200);
  }
}

/** Responds to an error that no handler handled, without the handlers' filters, which may be broken. */
function answerErrorAtLast(exchange: Exchange): void {
  if (!exchange.answered) {
    exchange.restartResponse();
    answerError(exchange);
  }
}

/** True when the host of the request is the host of the TLS handshake, whose policy accepted the client. */
function isHostOfHandshake(exchange: Exchange): boolean {
  const tls = tlsDetails(exchange.socket);
  return tls === undefined || tls.serverName === exchange.host;
}

/** Certificate authorities request paths below this path. Source: RFC 8615 */
const wellKnownPath = "/.well-known/";

/**
 * True when the request may come from a CA, which uses plain HTTP. @param exchange its path is below {@link
 * wellKnownPath}
 */
function isChallenge({ method, scheme, rawPath }: Exchange): boolean {
  return method === "GET" && scheme === "http" && challengeTokenOf(rawPath) !== "";
}

export interface HttpServerParts {
  /** Timeouts and sizes of each connection. */
  readonly limits: ConnectionLimits;
  /** Routes for requests. An error in these routes goes to the error routes. */
  readonly routes: RouteList;
  /** Routes that answer when a route fails; undefined: only the status is sent. */
  readonly errorRoutes: RouteList | undefined;
  /** Routes that the handler `invoke` finds by name. */
  readonly namedRoutes: ReadonlyMap<string, RouteList>;
  /** Rules for the client address: which proxies may set it with `X-Forwarded-For`. */
  readonly clientAddress: ClientAddressRules;
  /** Returns the request fields that handlers see. */
  readonly fieldFilter: (headers: HeaderList) => HeaderList;
  /** The server's own log, not its access log. */
  readonly log: Logger;
  /** True: the host of a request must be the host of its TLS handshake. */
  readonly strictHost: boolean;
  /** True: safe requests of HTTP/3 may run before the handshake is done. */
  readonly allowsEarlyData: boolean;
  /** Readers of bytes before HTTP and TLS, such as the PROXY protocol. */
  readonly wrappers: ListenerWrappers;
  /** Finds the answer to a challenge; undefined when no challenge has the token. */
  readonly answerChallenge: (request: ChallengeRequest) => Promise<string | undefined>;
  /** Counts of answers by status, for metrics. */
  readonly tally: ResponseTally;
  /**
   * True when user code may run for a request. Each request then runs in an async context, so that errors of all work
   * that the request starts are assigned to the request.
   */
  readonly hasUserModules: boolean;
  /** Records requests for the log of the main thread, in case this thread dies; undefined in the main thread itself. */
  readonly underWay: RequestsUnderWay | undefined;
  /**
   * Called for each request that fails. `isHandled`: error routes answer it. `second`: the error of error routes
   * that failed too.
   */
  readonly logError: (exchange: Exchange, failure: HttpError, isHandled: boolean, second?: HttpError) => void;
  /** Called with the name of each handler that a request reaches; undefined: not logged. */
  readonly logHandler: ((name: string) => void) | undefined;
  /** Called for each request at its end. */
  readonly logAccess: ((exchange: Exchange) => void) | undefined;
}

/** One server of one config: runs requests through its routes, and counts the running requests. */
export class HttpServer implements RequestSink, ExchangeServer {
  readonly product = serverProduct;
  readonly requestMemo = new RequestMemo();
  readonly limits: ConnectionLimits;
  readonly allowsEarlyData: boolean;
  readonly wrappers: ListenerWrappers;
  readonly namedRoutes: ReadonlyMap<string, RouteList>;
  readonly #parts: HttpServerParts;
  readonly #log: Logger;
  readonly #active = new ActiveExchanges();
  /** Time when the server's ports close, in milliseconds since 1970; undefined while that time is unknown. */
  shutdownAt: number | undefined;
  readonly #http3Ports = new Set<number>();
  altService: string | undefined;
  #onIdle: (() => void) | undefined;

  constructor(parts: HttpServerParts) {
    this.#parts = parts;
    this.limits = parts.limits;
    this.allowsEarlyData = parts.allowsEarlyData;
    this.wrappers = parts.wrappers;
    this.namedRoutes = parts.namedRoutes;
    this.#log = parts.log;
  }

  /** Makes responses of older HTTP versions announce HTTP/3 at a port. Source: quic-go */
  addHttp3Port(port: number): void {
    this.#http3Ports.add(port);
    this.altService = [...this.#http3Ports].map((each) => `h3=":${each}"; ma=2592000`).join();
  }

  clientAddress(exchange: Exchange): string {
    return clientAddress(exchange, this.#parts.clientAddress);
  }

  isTrustedProxy(exchange: Exchange): boolean {
    return isTrustedProxy(exchange, this.#parts.clientAddress);
  }

  take(stream: HttpStream): void {
    let exchange: Exchange;
    try {
      exchange = new Exchange(this, stream);
    } catch (error) {
      stream.closeAfterwards();
      const { status, body } = refusalOf(error);
      const fields = ["Server", serverProduct, "Content-Type", "text/plain; charset=utf-8"];
      fields.push("Content-Length", String(body.length));
      stream.respond(status, fields, body);
      return;
    }
    if (stream.target === "*") {
      answerGeneralOptions(stream);
    } else if (this.#parts.hasUserModules) {
      runFor(exchange, this.#take, exchange);
    } else {
      this.#take(exchange); // a route enters the exchange's context when it needs one
    }
  }

  readonly #take = (exchange: Exchange): void => {
    const { stream } = exchange;
    exchange.requestHeaders = this.#parts.fieldFilter(exchange.requestHeaders);
    exchange.onHandler = this.#parts.logHandler;
    this.#active.add(exchange);
    this.#parts.tally.inFlight++;
    stream.listener = exchange;
    const { underWay } = this.#parts;
    if (underWay !== undefined) {
      exchange.note = underWay.begin(stream.method, stream.authority, stream.target);
    }
    this.#start(exchange);
    if (underWay !== undefined && exchange.note !== undefined) {
      underWay.addRemote(exchange.note, exchange.remoteAddress);
    }
  };

  #start(exchange: Exchange): void {
    if (exchange.rawPath.startsWith(wellKnownPath) && isChallenge(exchange)) {
      runFor(exchange, this.#answerChallenge, exchange);
      return;
    }
    if (this.#parts.strictHost && !isHostOfHandshake(exchange)) {
      this.#fail(exchange, new HttpError(421, "the host is not the server that the handshake named"));
      return;
    }
    this.#run(exchange);
  }

  #run(exchange: Exchange): void {
    try {
      const running = this.#parts.routes.run(exchange, nothing);
      if (running === undefined) {
        this.#finish(exchange);
      } else {
        running.then(
          () => this.#finishLater(exchange),
          (error: unknown) => this.#failLater(exchange, error),
        );
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /**
   * Requests that may come from CAs are handled before any route; requests that turn out to be no challenge go to the
   * routes.
   */
  readonly #answerChallenge = (exchange: Exchange): void => {
    const token = challengeTokenOf(exchange.rawPath);
    this.#parts.answerChallenge({ token, host: exchange.host }).then(
      (answer) => {
        if (answer === undefined) {
          this.#run(exchange);
        } else {
          setHeader(exchange.responseHeaders, "Content-Type", "text/plain");
          exchange.respond(200, answer);
          this.#finish(exchange);
        }
      },
      (error: unknown) => this.#fail(exchange, error),
    );
  };

  /** Routes of requests, for a rehearsal. */
  get routes(): RouteList {
    return this.#parts.routes;
  }

  /** Routes of errors, for a rehearsal; undefined without any. */
  get errorRoutes(): RouteList | undefined {
    return this.#parts.errorRoutes;
  }

  /** The exchange of a rehearsed request, as handlers would see it. @throws ServerError HTTP_BAD_REQUEST */
  rehearsedExchange(stream: HttpStream): Exchange {
    const exchange = new Exchange(this, stream);
    exchange.requestHeaders = this.#parts.fieldFilter(exchange.requestHeaders);
    return exchange;
  }

  exchangeEnded(exchange: Exchange): void {
    try {
      this.#parts.logAccess?.(exchange);
      this.#parts.tally.count(exchange.status);
      exchange.routeFigures?.ended(exchange.startedAt, exchange.status);
    } finally {
      if (exchange.note !== undefined) {
        this.#parts.underWay?.end(exchange.note);
        exchange.note = undefined;
      }
      this.#forget(exchange);
    }
  }

  /**
   * Answers immediately with the error's status, or cuts the connection. Error routes do not run, because the handler
   * that waits for the failed part still uses the exchange.
   */
  exchangeBroken(exchange: Exchange, error: unknown): void {
    const { stream } = exchange;
    if (error instanceof ServerError && error.code === "CLIENT_GONE") {
      stream.destroy();
      return;
    }
    const failure = HttpError.from(error);
    this.#log.error(
      { err: error },
      `${exchange.method} ${exchange.hostport}: failed outside of its handlers`,
    );
    if (exchange.ended || stream.closed) {
      return;
    }
    this.#parts.logError(exchange, failure, false);
    if (exchange.headSent) {
      stream.destroy();
      return;
    }
    try {
      this.#takeBack(exchange, error);
      stream.closeAfterwards();
      this.#answerFailure(exchange, failure);
    } catch {
      stream.destroy();
    }
  }

  /** Reads the counts of all routes. @param path position of this server below the app */
  *routeReadings(path: string): Iterable<RouteReading> {
    yield* this.#parts.routes.readings(`${path}/routes`);
    yield* this.#parts.errorRoutes?.readings(`${path}/errors/routes`) ?? [];
    for (const [name, route] of this.namedRoutes) {
      yield* route.readings(`${path}/named_routes/${name}`);
    }
  }

  /**
   * Resolves when no request is running. Tunnels do not count: they continue until their listener closes.
   * @param timeoutMs after this time the remaining requests are cut; undefined: no limit
   */
  async drain(timeoutMs: number | undefined): Promise<void> {
    if (this.#active.size === 0) {
      return;
    }
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            this.#log.warn(`grace period of ${timeoutMs} ms is over: cutting ${this.#active.size} requests`);
            for (const exchange of this.#active.all()) {
              exchange.stream.destroy();
            }
          }, timeoutMs);
    await idle;
    clearTimeout(timer);
  }

  /** Used for a handler that returned a promise: an error thrown here would be an unhandled rejection. */
  #finishLater(exchange: Exchange): void {
    try {
      this.#finish(exchange);
    } catch (error) {
      exchange.fail(error);
    }
  }

  /** Used for a handler that returned a promise: an error thrown here would be an unhandled rejection. */
  #failLater(exchange: Exchange, error: unknown): void {
    try {
      this.#fail(exchange, error);
    } catch (second) {
      exchange.fail(second);
    }
  }

  #finish(exchange: Exchange): void {
    try {
      answerNothing(exchange);
    } catch (error) {
      this.#fail(exchange, error);
      return;
    }
    if (exchange.detached) {
      this.#forget(exchange);
    }
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof ServerError && error.code === "CLIENT_GONE") {
      exchange.stream.destroy();
      return;
    }
    const failure = HttpError.from(error);
    if (!(error instanceof ServerError)) {
      // The error is unexpected, so its stack is more useful than the fields of the request.
      this.#log.error({ err: error }, `${exchange.method} ${exchange.hostport}: handler failed`);
    }
    this.#parts.logError(exchange, failure, this.#parts.errorRoutes !== undefined && !exchange.headSent);
    if (exchange.headSent) {
      // An incomplete response must not look complete; a complete response stays as it is.
      if (!exchange.stream.closed) {
        exchange.stream.cut();
      }
      return;
    }
    this.#takeBack(exchange, error);
    const { errorRoutes } = this.#parts;
    if (errorRoutes === undefined || exchange.error === failure) {
      this.#answerFailure(exchange, failure);
      return;
    }
    exchange.error = failure;
    exchange.restoreLine();
    this.#runErrorRoutes(errorRoutes, exchange, failure);
  }

  /** Removes the unsent response, so that another response can be sent. */
  #takeBack(exchange: Exchange, error: unknown): void {
    exchange.restartResponse();
    if (error instanceof ServerError && error.code === "HTTP_RESPONSE") {
      exchange.responseHeaders = ["Server", serverProduct];
    } else {
      // Fields about the resource stay (`Allow`, `Content-Type`, `Etag`), as in Caddy. Fields about the
      // form of the missing body are removed.
      removeHeaders(exchange.responseHeaders, (name) => ofBody.has(name));
    }
  }

  #answerFailure(exchange: Exchange, failure: HttpError): void {
    exchange.responseHeaders.push("Content-Length", "0");
    try {
      exchange.respond(failure.status);
    } catch {
      exchange.stream.destroy(); // a header that is left from the failed response cannot be sent
    }
  }

  /** Runs the error routes. If the error routes fail too, the client gets the status of the first error. */
  #runErrorRoutes(routes: RouteList, exchange: Exchange, failure: HttpError): void {
    const failed = (error: unknown) => {
      if (error instanceof ServerError && error.code === "CLIENT_GONE") {
        exchange.stream.destroy();
        return;
      }
      if (exchange.ended) {
        return; // because the client has disconnected
      }
      this.#parts.logError(exchange, failure, true, HttpError.from(error));
      if (exchange.headSent) {
        exchange.stream.destroy();
      } else {
        this.#takeBack(exchange, error);
        this.#answerFailure(exchange, failure);
      }
    };
    const finish = () => {
      try {
        answerErrorAtLast(exchange);
      } catch (error) {
        failed(error);
      }
    };
    try {
      const running = routes.run(exchange, answerError);
      if (running === undefined) {
        finish();
      } else {
        running.then(finish, failed);
      }
    } catch (error) {
      failed(error);
    }
  }

  #forget(exchange: Exchange): void {
    if (this.#active.delete(exchange)) {
      this.#parts.tally.inFlight--;
    }
    if (this.#active.size === 0) {
      this.#onIdle?.();
    }
  }
}
