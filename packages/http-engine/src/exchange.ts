import { type Readable, Writable } from "node:stream";
import { ServerError } from "server-core/errors";
import { contain } from "./body/contained-stream.ts";
import { StreamReading } from "./body/stream-reading.ts";
import { ExchangeRequest } from "./exchange-request.ts";
import type { HeaderList } from "./header-list.ts";
import type { HttpError } from "./http-error.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "./http-stream.ts";
import type { RehearsedWay } from "./rehearsed-way.ts";
import { withoutZone } from "./remote-address.ts";
import type { RequestMemo } from "./request-memo.ts";
import type { RequestTrace } from "./request-trace.ts";
import { HeadFilter, type ResponseSink } from "./response-sink.ts";
import { ResponseWriter } from "./response-writer.ts";
import type { RouteFigures } from "./route-figures.ts";

const clientGoneStatus = 499;

/** Runs the remaining handlers of the chain. Returns, or resolves its promise, when all of them are done. */
export type Next = (exchange: Exchange) => void | Promise<void>;

/** A list of routes that can be run by name. */
export interface NamedRoute {
  /** Runs the routes with this name. @param next continues after the handler that invoked them */
  run(exchange: Exchange, next: Next): void | Promise<void>;
  /** Tries the same routes for a simulated request, and records them. */
  rehearse(exchange: Exchange, way: RehearsedWay): void;
}

/** Returns the values of placeholders in one namespace. */
export interface PlaceholderSource {
  /** @param name without the namespace. @returns undefined for an unknown name, or a value that is not set yet */
  placeholder(name: string): string | undefined;
}

/** The part of a server that an exchange uses. */
export interface ExchangeServer {
  /** Value of the `Server` header and name in `Via`. */
  readonly product: string;
  /** Value of `Alt-Svc` for clients without HTTP/3; absent: HTTP/3 is not served. */
  readonly altService?: string | undefined;
  /** Host and target of the server's last request, already parsed. */
  readonly requestMemo: RequestMemo;
  /** Time when the server's ports close, in milliseconds since 1970; absent: unknown. */
  readonly shutdownAt?: number | undefined;
  /** Routes by name, for the handler `invoke`. */
  readonly namedRoutes?: ReadonlyMap<string, NamedRoute>;
  /** The client's address behind trusted proxies; absent: the peer's address counts. */
  clientAddress?(exchange: Exchange): string;
  /** Runs an additional request that the server itself creates; absent: only requests of listeners run. */
  take?(stream: HttpStream): void;
  /** Called at the end of an exchange, before the callbacks of `onEnd`. */
  exchangeEnded?(exchange: Exchange): void;
  /** The exchange failed in an event or a timer, and its handlers may wait forever. */
  exchangeBroken?(exchange: Exchange, error: unknown): void;
  /** True when the peer is a proxy whose `X-Forwarded-*` fields count. */
  isTrustedProxy?(exchange: Exchange): boolean;
}

/**
 * One request and its response, in the form for handlers.
 *
 * To respond, a handler fills `responseHeaders`. Then it calls {@link respond} with the whole body, or {@link
 * writeHead}, {@link write} (with {@link onceDrain}) and {@link finish}, or {@link writeHead} and {@link sendStream}.
 * When its `handle` returns, the handler has written the whole response or none. The response passes the filters of
 * {@link interceptResponse}, innermost first. An error before {@link headSent} goes to the error routes. After it, an
 * error cuts the connection, so that the response does not look complete.
 */
export class Exchange extends ExchangeRequest implements StreamListener {
  readonly server: ExchangeServer;
  /** Fields of the response until its head is sent. */
  responseHeaders: HeaderList;
  /** Error of the request, set while error routes run; source of `{http.error.*}`. */
  error: HttpError | undefined;
  /** The values of `{http.reverse_proxy.*}`, set by a reverse proxy. */
  proxied: PlaceholderSource | undefined;
  /** Trace of the request; set while a tracing handler runs the next handlers. */
  trace: RequestTrace | undefined;
  /** Bytes of the response body that handlers wrote for the client. */
  bytesWritten = 0;
  /** Bytes that the client sent after it had switched the protocol. */
  tunnelBytesRead = 0;
  /** Index among the running requests at its server; -1: none. */
  activeIndex = -1;
  /** Index of the request's record among the running requests of this thread; undefined: no record. */
  note: number | undefined;
  /** Called with the name of each handler that the request reaches; usually undefined. */
  onHandler: ((name: string) => void) | undefined;
  /** Counts of the last route that took the request; error routes are not included. */
  routeFigures: RouteFigures | undefined;
  /** True: the handler needs no further bytes of the client or of an upstream. */
  answersAlone = false;
  /** True: a response without a type gets one from its first bytes, see {@link tellType}. */
  tellsType = false;
  /** True when a handler or log reads {@link headAtMs}. */
  timesHead = false;
  /** Start time of the response, in milliseconds of `performance.now()`; 0 before that, and when nothing reads it. */
  headAtMs = 0;
  #top: ResponseSink | undefined;
  /** Fields before deferred operations changed them; undefined: no deferred operation ran. */
  #fieldsBefore: HeaderList | undefined;
  /** True when a handler has given its whole response; a filter may still hold it back. */
  #isWhole = false;
  #status = 0;
  #answered = false;
  #isAborted = false;
  #ended = false;
  #detached = false;
  #onEnd: (() => void)[] | undefined;

  /** @throws ServerError HTTP_BAD_REQUEST for a malformed target or `Host` */
  constructor(server: ExchangeServer, stream: HttpStream) {
    super(stream, server.requestMemo);
    this.server = server;
    this.responseHeaders =
      server.altService === undefined || stream.version === "3.0"
        ? ["Server", server.product]
        : ["Server", server.product, "Alt-Svc", server.altService];
  }

  /** The client's address, as trusted proxies name it; otherwise {@link remoteAddress}. */
  get clientAddress(): string {
    return this.server.clientAddress?.(this) ?? withoutZone(this.remoteAddress);
  }

  // The response

  /** Status: first the handler's, then the status that the client gets; 0 before the response. */
  get status(): number {
    return this.#status;
  }

  /** The default status: 200, or in error routes the status of the error. */
  get defaultStatus(): number {
    return this.error?.status ?? 200;
  }

  /** True when a handler has started the response. A filter may still hold the head back: see {@link headSent}. */
  get answered(): boolean {
    return this.#answered || this.#detached;
  }

  /** True when the head was sent to the client: another response is no longer possible. */
  get headSent(): boolean {
    return this.stream.headSent || this.#detached;
  }

  /** Bytes of the response body that were sent to the client; 0 for responses without a body (HEAD, 204, 304). */
  get bytesSent(): number {
    const hasNone = this.#status === 204 || this.#status === 304 || this.stream.method === "HEAD";
    return hasNone ? 0 : this.bytesWritten;
  }

  /** True when the whole response was sent. */
  get complete(): boolean {
    return this.stream.complete;
  }

  /** True when the response was sent or abandoned; for a connection that left HTTP, true when its tunnel has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** True when the connection left HTTP: it no longer counts as a running request. */
  get detached(): boolean {
    return this.#detached;
  }

  /** True when the response passes through filters. */
  get filtered(): boolean {
    return this.#top !== undefined;
  }

  /** Adds a filter before the existing filters: everything written from now on passes through the new filter. */
  interceptResponse<Sink extends ResponseSink>(make: (below: ResponseSink) => Sink): Sink {
    const sink = make(this.#top ?? new ResponseWriter(this.stream, this));
    this.#top = sink;
    return sink;
  }

  /**
   * Lets the server add a `Content-Type` from the first bytes of the body if the response has none. Source: Caddy
   * (Go)
   */
  tellType(): void {
    this.tellsType = true;
    this.#top ??= new ResponseWriter(this.stream, this);
  }

  /** Calls back just before the head is sent; the last registered callback is called first, as with nested handlers. */
  beforeHead(callback: (headers: HeaderList, status: number) => void): void {
    this.interceptResponse(
      (below) =>
        new HeadFilter(below, (headers, status) => {
          if (headers === this.responseHeaders) {
            this.#fieldsBefore ??= [...headers];
          }
          callback(headers, status);
        }),
    );
  }

  /** Sends a whole response. @throws ServerError HTTP_RESPONSE when status or headers are not valid in a response */
  respond(status: number, body: Uint8Array | string = ""): void {
    if (this.#top === undefined && !this.#answered) {
      this.#begin(status);
      this.bytesWritten = typeof body === "string" ? Buffer.byteLength(body) : body.length;
      this.stream.respond(status, this.responseHeaders, body);
    } else {
      this.writeHead(status);
      this.finish(body);
    }
  }

  /**
   * Sends status and headers.
   * @param goodFrom index from which `responseHeaders` came from an HTTP/1 connection and need no check
   * @throws ServerError HTTP_RESPONSE when status or headers are not valid in a response (a status out of range, a
   * newline in a value), or when a response was already started
   */
  writeHead(status: number, goodFrom = Number.POSITIVE_INFINITY): void {
    if (this.#answered) {
      throw new ServerError("HTTP_RESPONSE", `status ${status} after an answer with ${this.#status}`);
    }
    this.#begin(status);
    if (this.#top === undefined) {
      this.stream.writeHead(status, this.responseHeaders, goodFrom);
    } else {
      this.#top.head(status, this.responseHeaders);
    }
  }

  /** Called when the head has passed all filters, which may have changed the status. */
  headPassed(status: number): void {
    this.#status = status;
  }

  #begin(status: number): void {
    this.#answered = true;
    this.#status = status;
    if (this.timesHead) {
      this.headAtMs = performance.now();
    }
  }

  /** Sends a part of the body. @returns false when the buffer is full: continue after {@link onceDrain} */
  write(chunk: Uint8Array): boolean {
    if (this.#top !== undefined) {
      return this.#top.write(chunk);
    }
    this.bytesWritten += chunk.length;
    return this.stream.write(chunk);
  }

  /** Ends the body. */
  finish(chunk: Uint8Array | string = ""): void {
    this.#isWhole = true;
    if (this.#top === undefined) {
      this.bytesWritten += typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
      this.stream.end(chunk);
    } else if (chunk.length === 0) {
      this.#top.end();
    } else {
      this.#top.end(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    }
  }

  /** Fields after the body, if the protocol and the client allow them. */
  addTrailers(trailers: HeaderList): void {
    if (this.#top === undefined) {
      this.stream.addTrailers(trailers);
    } else {
      this.#top.addTrailers(trailers);
    }
  }

  /** Sends everything written so far, without waiting for more. */
  flush(): void {
    if (this.#top === undefined) {
      this.stream.flush();
    } else {
      this.#top.flush();
    }
  }

  /**
   * Calls back once, when more can be written; never after the client has disconnected: see {@link onEnd}.
   */
  onceDrain(callback: () => void): void {
    if (this.#top === undefined) {
      this.stream.onceDrain(callback);
    } else {
      this.#top.onceDrain(callback);
    }
  }

  /** The body of the response as a stream, for `pipeline`. Destroying the stream with an error cuts the connection. */
  bodyWritable(): Writable {
    const writable = contain(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          try {
            if (!this.write(chunk)) {
              this.onceDrain(done);
              return;
            }
          } catch (error) {
            done(error as Error);
            return;
          }
          done();
        },
        final: (done) => {
          try {
            this.finish();
          } catch (error) {
            done(error as Error);
            return;
          }
          done();
        },
        destroy: (error, done) => {
          if (error !== null && !this.complete) {
            this.stream.destroy(); // a response cut short must not look whole
          }
          done(error);
        },
      }),
    );
    this.onEnd(() => {
      if (!writable.writableEnded) {
        writable.destroy(new ServerError("CLIENT_GONE", "the client closed the connection"));
      }
    });
    return writable;
  }

  /**
   * Sends a stream as the body, after {@link writeHead}, and ends the body.
   * @throws the stream's error; ServerError CLIENT_GONE
   */
  sendStream(source: Readable): Promise<void> {
    return new Promise((resolve, reject) => {
      let isWhole = false;
      const reading = new StreamReading(source, {
        data: (chunk) => {
          if (this.write(chunk)) {
            return true;
          }
          this.onceDrain(() => reading.resume());
          return false;
        },
        end: () => {
          isWhole = true; // `finish` may end the exchange; the client then has the whole response
          this.finish();
          resolve();
        },
        failed: (error) => {
          source.destroy();
          reject(error);
        },
      });
      this.onEnd(() => {
        reading.stop();
        if (isWhole) {
          return;
        }
        source.destroy();
        reject(new ServerError("CLIENT_GONE", "the client closed the connection"));
      });
    });
  }

  /**
   * Discards a response that the client has not seen, so that a new response can replace it: error routes, the handler
   * `intercept`.
   * @param from the sink for the new response; absent: the client itself, without any filters
   */
  restartResponse(from?: ResponseSink): void {
    if (this.headSent) {
      throw new ServerError("HTTP_RESPONSE", "the head was sent already");
    }
    this.undoHead();
    this.#isWhole = false;
    this.#top = from instanceof ResponseWriter ? undefined : from;
    this.#answered = false;
    this.#status = 0;
    this.tellsType = false;
    this.headAtMs = 0;
  }

  /**
   * Reverts the changes of {@link beforeHead} after a response failed before the client saw it. The fields stay if the
   * handler had given its whole response, because then a filter failed.
   */
  undoHead(): void {
    if (this.#fieldsBefore !== undefined && !this.#isWhole) {
      this.responseHeaders = this.#fieldsBefore;
    }
    this.#fieldsBefore = undefined;
  }

  /**
   * Lets handlers create a different response while the present response waits. The client must not have seen any part
   * of the present response.
   * @param to the sink for the new response
   * @param headers fields of the new response
   * @returns a function that makes the waiting response current again; it leaves {@link responseHeaders} as they are
   */
  divertResponse(to: ResponseSink, headers: HeaderList): () => void {
    const top = this.#top;
    const status = this.#status;
    const headAtMs = this.headAtMs;
    this.restartResponse(to);
    this.responseHeaders = headers;
    return () => {
      this.#top = top;
      this.#status = status;
      this.#answered = true;
      this.headAtMs = headAtMs;
    };
  }

  /** Calls back once, when the response was sent or abandoned, or the tunnel ended. */
  onEnd(callback: () => void): void {
    if (this.#ended) {
      callback();
    } else {
      this.#onEnd ??= [];
      this.#onEnd.push(callback);
    }
  }

  /** Responds to an upgrade with 101 and takes the connection out of HTTP. The caller must finally call `end`. */
  switchProtocols(): DetachedConnection {
    const head = (headers: HeaderList): DetachedConnection => this.stream.switchProtocols(headers);
    this.#begin(101);
    this.#top?.head(101, this.responseHeaders);
    const connection = head(this.responseHeaders);
    this.#detached = true;
    return connection;
  }

  /**
   * Called when the stream has ended; a connection that left HTTP ends when its tunnel ends. A client that disconnected
   * while an upstream was called has the status 499 in logs and metrics, as in Caddy.
   */
  streamClosed(): void {
    if (!this.#detached) {
      if (this.#status === 0 && this.proxied !== undefined && !this.#isAborted) {
        this.#status = clientGoneStatus;
      }
      this.end();
    }
  }

  /** True when the site cut the connection, see {@link abort}. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /**
   * Ends the connection (over HTTP/2 the stream) without a response. The log then has no status, not even 499, because
   * the client has not left.
   */
  abort(): void {
    this.#isAborted = true;
    this.stream.destroy();
  }

  /** Ends the exchange, once. Called when the stream has ended, or by the owner of a detached connection. */
  end(): void {
    if (!this.#ended) {
      this.#ended = true;
      if (this.#status === 204 || this.#status === 304) {
        this.bytesWritten = 0; // these statuses have no body
      }
      try {
        this.server.exchangeEnded?.(this);
      } catch (error) {
        this.fail(error);
      }
      const callbacks = this.#onEnd;
      this.#onEnd = undefined;
      for (const callback of callbacks ?? []) {
        try {
          callback();
        } catch (error) {
          this.fail(error); // a callback that fails does not stop the other callbacks
        }
      }
    }
  }

  /**
   * Ends the exchange with an error that no promise of a handler carries, such as one from an event or a timer. If
   * nothing was sent, the response has the error's status; otherwise the connection is cut. A waiting handler sees a
   * disconnected client.
   */
  fail(error: unknown): void {
    this.server.exchangeBroken?.(this, error);
  }
}
