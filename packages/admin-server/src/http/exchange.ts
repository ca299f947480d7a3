import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { ServerError } from "../core/errors.ts";
import type { JsonValue } from "../core/json/json-value.ts";
import { cleanPath, decodePath, splitTarget } from "../core/uri/request-target.ts";
import type { Next } from "./handler.ts";
import { getHeader, type HeaderList } from "./header-list.ts";
import type { HttpError } from "./http-error.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "./http-stream.ts";
import { remoteAddress } from "./remote-address.ts";
import type { RequestTrace } from "./request-trace.ts";
import { HeadFilter, type ResponseSink } from "./response-sink.ts";

/** A list of routes that can be run by name. */
export interface NamedRoute {
  run(exchange: Exchange, next: Next): void | Promise<void>;
}

/** Makes texts of placeholders of one namespace. */
export interface PlaceholderSource {
  /** @param name without the namespace. @returns "" for what is not known */
  placeholder(name: string): string;
}

/** What an exchange knows of the server that runs it. */
export interface ExchangeServer {
  /** Value of the `Server` header and name in `Via`. */
  readonly product: string;
  /** For the handler `invoke`. */
  readonly namedRoutes?: ReadonlyMap<string, NamedRoute>;
  /** Who the client is, where proxies that are trusted stand in between; absent: who is connected. */
  clientAddress?(exchange: Exchange): string;
  /** Told when an exchange is over, before those who asked by `onEnd`. */
  exchangeEnded?(exchange: Exchange): void;
  /** Whether who is connected is a proxy whose `X-Forwarded-*` counts. */
  isTrustedProxy?(exchange: Exchange): boolean;
}

/** The request line as it was before any handler rewrote it. */
export interface RequestLine {
  readonly method: string;
  /** Percent-encoded, not cleaned. */
  readonly rawPath: string;
  /** With its `?`, or "". */
  readonly query: string;
}

const maxHostLength = 255;

/**
 * One request and its response, as handlers see them.
 *
 * The response. A handler fills `responseHeaders` and then either calls {@link respond} with the whole body, or
 * {@link writeHead}, {@link write} (with {@link onceDrain}) and {@link finish}, or {@link writeHead} and
 * {@link sendStream}. When its `handle` returns (its promise resolves), the handler has written all of the response, or
 * none. What it writes passes the filters of {@link interceptResponse}, innermost first. An error thrown before
 * {@link headSent} goes to the error routes; after it the connection is cut, so that the response does not look whole.
 *
 * The request. `rewrite`, `setHost`, `changeRequestHeaders` and `replaceBody` change what later matchers and handlers
 * see; `original` and `stream` keep what was sent.
 */
export class Exchange implements StreamListener {
  readonly server: ExchangeServer;
  /** The protocol below. For reading; responses go through the exchange. */
  readonly stream: HttpStream;
  /** The connection: addresses, TLS. */
  readonly socket: Socket;
  /** When the request's head was complete, as of `performance.now()`. */
  readonly startedAt = performance.now();
  /** `Host`, or the authority of the target, as sent or as a handler set it: `Example.com:8080`. */
  hostport: string;
  /** Fields of the request as handlers left them so far. Change them with {@link changeRequestHeaders}. */
  requestHeaders: HeaderList;
  /** Fields of the response until its head is sent. */
  responseHeaders: HeaderList;
  /** What handlers tell one another; `{http.vars.<name>}`. */
  get vars(): Map<string, JsonValue> {
    this.#vars ??= new Map();
    return this.#vars;
  }
  /** Set while error routes run; `{http.error.*}`. */
  error: HttpError | undefined;
  /** Set by a reverse proxy: what `{http.reverse_proxy.*}` stands for. */
  proxied: PlaceholderSource | undefined;
  /** Set while a tracing handler is around. */
  trace: RequestTrace | undefined;
  /** Bytes of the response body that went to the client, as far as they were written. */
  bytesWritten = 0;
  #vars: Map<string, JsonValue> | undefined;
  #method: string;
  #rawPath: string;
  #query: string;
  #path: string | undefined;
  #cleanedPath: string | undefined;
  #host: string | undefined;
  #original: RequestLine | undefined;
  #body: Readable | undefined;
  #buffered: Promise<Buffer> | undefined;
  /** The whole body, once {@link bufferBody} has read it. */
  bufferedBody: Buffer | undefined;
  #top: ResponseSink | undefined;
  #status = 0;
  #answered = false;
  #ended = false;
  #detached = false;
  #onEnd: (() => void)[] | undefined;

  /** @throws ServerError HTTP_BAD_REQUEST for a target or a Host that cannot be */
  constructor(server: ExchangeServer, stream: HttpStream) {
    const target = splitTarget(stream.target);
    this.server = server;
    this.stream = stream;
    this.socket = stream.socket;
    this.#method = stream.method;
    this.#rawPath = target.rawPath;
    this.#query = target.query;
    this.requestHeaders = stream.headers;
    this.responseHeaders = ["Server", server.product];
    this.hostport = target.authority ?? stream.authority;
    if (this.hostport.length > maxHostLength || /[\s/\\?#@,<>"]/.test(this.hostport)) {
      throw new ServerError("HTTP_BAD_REQUEST", `malformed Host header ${JSON.stringify(this.hostport)}`);
    }
    this.#path = Exchange.#decode(target.rawPath);
  }

  static #decode(rawPath: string): string {
    const path = decodePath(rawPath);
    if (path === undefined) {
      throw new ServerError("HTTP_BAD_REQUEST", `invalid URL escape in ${JSON.stringify(rawPath)}`);
    }
    if (path.includes("\0")) {
      throw new ServerError("HTTP_BAD_REQUEST", "the path contains a NUL");
    }
    return path;
  }

  // The request

  get method(): string {
    return this.#method;
  }

  /** As sent or rewritten: percent-encoded, not cleaned. */
  get rawPath(): string {
    return this.#rawPath;
  }

  /** With its `?`, or "". */
  get query(): string {
    return this.#query;
  }

  /** Path and query, as an upstream would be asked for them. */
  get target(): string {
    return this.#rawPath + this.#query;
  }

  /** Decoded, not cleaned. */
  get path(): string {
    this.#path ??= Exchange.#decode(this.#rawPath);
    return this.#path;
  }

  /** Decoded, without empty, `.` and `..` segments. */
  get cleanedPath(): string {
    this.#cleanedPath ??= cleanPath(this.path);
    return this.#cleanedPath;
  }

  /** Without port and brackets, lower case. */
  get host(): string {
    if (this.#host === undefined) {
      const match = this.hostport.startsWith("[") ? /^\[(.*)\](?::\d*)?$/.exec(this.hostport) : null;
      this.#host = (match?.[1] ?? this.hostport.replace(/:\d*$/, "")).toLowerCase();
    }
    return this.#host;
  }

  get scheme(): "http" | "https" {
    return "encrypted" in this.socket ? "https" : "http";
  }

  /** `HTTP/1.1`, `HTTP/2.0`. */
  get protocol(): string {
    return `HTTP/${this.stream.version}`;
  }

  /** Who is connected; "" over a unix socket. */
  get remoteAddress(): string {
    return remoteAddress(this.socket);
  }

  /** Who the client is: behind trusted proxies the one they name, else {@link remoteAddress}. */
  get clientAddress(): string {
    return this.server.clientAddress?.(this) ?? this.remoteAddress;
  }

  /** The request line as sent; `{http.request.orig_*}`. */
  get original(): RequestLine {
    return this.#original ?? { method: this.#method, rawPath: this.#rawPath, query: this.#query };
  }

  /**
   * Changes the request line for what comes after; absent parts stay.
   * @param line rawPath percent-encoded, beginning with `/`; query with its `?`, or ""
   * @throws ServerError HTTP_BAD_REQUEST for a bad escape or a NUL in the path; nothing is changed then
   */
  rewrite(line: Partial<RequestLine>): void {
    const path = line.rawPath === undefined ? this.#path : Exchange.#decode(line.rawPath);
    this.#original ??= this.original;
    this.#method = line.method ?? this.#method;
    this.#rawPath = line.rawPath ?? this.#rawPath;
    this.#query = line.query ?? this.#query;
    this.#path = path;
    this.#cleanedPath = undefined;
  }

  /** Changes what the client asked for as host; upstreams are told so too. */
  setHost(hostport: string): void {
    this.hostport = hostport;
    this.#host = undefined;
  }

  /** The first value of a request header; "" when absent. */
  header(name: string): string {
    return getHeader(this.requestHeaders, name) ?? "";
  }

  /** Lets a handler change the fields of the request, in a copy: those of `stream` stay. */
  changeRequestHeaders(change: (headers: HeaderList) => void): void {
    const copy = [...this.requestHeaders];
    change(copy);
    this.requestHeaders = copy;
  }

  /** A variable as text; "" when it was not set. Lists and objects as JSON. */
  varText(name: string): string {
    const value = this.#vars?.get(name);
    if (typeof value === "string") {
      return value;
    }
    return value === undefined || value === null
      ? ""
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  }

  /** Whether there is a body to read. */
  get hasBody(): boolean {
    return this.#body !== undefined || this.stream.hasBody;
  }

  /** All of the body, where it is there already: it came with the head, or {@link bufferBody} has read it. */
  get wholeBody(): Buffer | undefined {
    return this.bufferedBody ?? (this.#body === undefined ? this.stream.wholeBody : undefined);
  }

  /** Fields that came after the body that {@link body} reads; none for one that a handler put in place. */
  get requestTrailers(): HeaderList {
    return this.#body === undefined ? this.stream.requestTrailers : [];
  }

  /** The body: the client's, or what a handler put in its place. Made when asked for; ask only where it is read. */
  get body(): Readable {
    return this.#body ?? this.stream.body;
  }

  /** Whether some of the client's body is gone, so that the request cannot be sent a second time. */
  get bodyTouched(): boolean {
    return this.stream.bodyTouched && this.#buffered === undefined;
  }

  /** Puts another body in place of the client's: a limit, a decoder, a fixed text. */
  replaceBody(body: Readable | string | Uint8Array): void {
    this.#body = body instanceof Readable ? body : Readable.from([Buffer.from(body as Uint8Array)]);
    this.#buffered = undefined;
    this.bufferedBody = undefined;
  }

  /**
   * Reads the whole body; it can be read again afterwards.
   * @throws ServerError HTTP_BODY_TOO_LARGE over `maxBytes`, CLIENT_GONE
   */
  async bufferBody(maxBytes: number): Promise<Buffer> {
    if (!this.hasBody) {
      return Buffer.alloc(0);
    }
    this.#buffered ??= readAll(this.body, maxBytes);
    const bytes = await this.#buffered;
    this.bufferedBody = bytes;
    this.#body = Readable.from([bytes]);
    return bytes;
  }

  // The response

  /** Status that was given to {@link writeHead} or {@link respond}; 0 before. */
  get status(): number {
    return this.#status;
  }

  /** Status of an answer for which nobody names one: 200, in error routes that of the error. */
  get defaultStatus(): number {
    return this.error?.status ?? 200;
  }

  /** Whether a handler has begun to answer. A filter may still hold the head back: see {@link headSent}. */
  get answered(): boolean {
    return this.#answered || this.#detached;
  }

  /** Whether the client has the head: it is too late for another answer. */
  get headSent(): boolean {
    return this.stream.headSent || this.#detached;
  }

  /** Whether the whole response was sent. */
  get complete(): boolean {
    return this.stream.complete;
  }

  /** Whether response and connection are done with. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The connection left HTTP: it is not counted as a request under way any more. */
  get detached(): boolean {
    return this.#detached;
  }

  /** Whether there are filters on the way of the response. */
  get filtered(): boolean {
    return this.#top !== undefined;
  }

  /** Puts a filter on the way of the response, before those that are there: what is written from now on passes it. */
  interceptResponse<Sink extends ResponseSink>(make: (below: ResponseSink) => Sink): Sink {
    const sink = make(this.#top ?? new WireSink(this.stream, this));
    this.#top = sink;
    return sink;
  }

  /** Calls back just before the head is sent; the last to ask is the first to be called, as with nested handlers. */
  beforeHead(callback: (headers: HeaderList, status: number) => void): void {
    this.interceptResponse((below) => new HeadFilter(below, callback));
  }

  /** Sends a whole response. @throws ServerError HTTP_RESPONSE when status or headers cannot stand in a response */
  respond(status: number, body: Uint8Array | string = ""): void {
    if (this.#top === undefined && !this.#answered) {
      this.#answered = true;
      this.#status = status;
      this.bytesWritten = typeof body === "string" ? Buffer.byteLength(body) : body.length;
      this.stream.respond(status, this.responseHeaders, body);
    } else {
      this.writeHead(status);
      this.finish(body);
    }
  }

  /**
   * Sends status and headers.
   * @throws ServerError HTTP_RESPONSE when they cannot stand in a response (a status out of range, a newline in a value),
   *   or when there was an answer already
   */
  writeHead(status: number): void {
    if (this.#answered) {
      throw new ServerError("HTTP_RESPONSE", `status ${status} after an answer with ${this.#status}`);
    }
    this.#answered = true;
    this.#status = status;
    if (this.#top === undefined) {
      this.stream.writeHead(status, this.responseHeaders);
    } else {
      this.#top.head(status, this.responseHeaders);
    }
  }

  /** Sends a part of the body. @returns false when it is enough for now: go on after {@link onceDrain} */
  write(chunk: Uint8Array): boolean {
    if (this.#top !== undefined) {
      return this.#top.write(chunk);
    }
    this.bytesWritten += chunk.length;
    return this.stream.write(chunk);
  }

  /** Ends the body. */
  finish(chunk: Uint8Array | string = ""): void {
    if (this.#top === undefined) {
      this.bytesWritten += typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
      this.stream.end(chunk);
    } else if (chunk.length === 0) {
      this.#top.end();
    } else {
      this.#top.end(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    }
  }

  /** Sends what was written so far, without waiting for more. */
  flush(): void {
    if (this.#top === undefined) {
      this.stream.flush();
    } else {
      this.#top.flush();
    }
  }

  /** Calls back once, when more can be written. Not called any more when the client is gone: see {@link onEnd}. */
  onceDrain(callback: () => void): void {
    if (this.#top === undefined) {
      this.stream.onceDrain(callback);
    } else {
      this.#top.onceDrain(callback);
    }
  }

  /** The body of the response as a stream, for `pipeline`. Destroying it with an error cuts the connection. */
  bodyWritable(): Writable {
    const writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.write(chunk)) {
          done();
        } else {
          this.onceDrain(done);
        }
      },
      final: (done) => {
        this.finish();
        done();
      },
    });
    this.onEnd(() => {
      if (!writable.writableEnded) {
        writable.destroy(new ServerError("CLIENT_GONE", "the client closed the connection"));
      }
    });
    return writable;
  }

  /** Sends a stream as the body, after {@link writeHead}, and ends it. @throws the stream's error; ServerError CLIENT_GONE */
  sendStream(source: Readable): Promise<void> {
    return new Promise((resolve, reject) => {
      source.on("data", (chunk: Buffer) => {
        if (!this.write(chunk)) {
          source.pause();
          this.onceDrain(() => source.resume());
        }
      });
      source.once("end", () => {
        this.finish();
        resolve();
      });
      source.once("error", reject);
      this.onEnd(() => {
        if (!source.readableEnded) {
          source.destroy();
          reject(new ServerError("CLIENT_GONE", "the client closed the connection"));
        }
      });
    });
  }

  /**
   * Takes back an answer of which the client has seen nothing, for another one: error routes, the handler `intercept`.
   * @param from the sink that the new answer goes to; absent: the client itself, past all filters
   */
  restartResponse(from?: ResponseSink): void {
    if (this.headSent) {
      throw new ServerError("HTTP_RESPONSE", "the head was sent already");
    }
    this.#top = from instanceof WireSink ? undefined : from;
    this.#answered = false;
    this.#status = 0;
  }

  /** Calls back once, when the response is sent or given up, or the tunnel ended. */
  onEnd(callback: () => void): void {
    if (this.#ended) {
      callback();
    } else {
      this.#onEnd ??= [];
      this.#onEnd.push(callback);
    }
  }

  /** Answers an upgrade with 101 and takes the connection out of HTTP. The caller must call `end` when it is done with it. */
  switchProtocols(): DetachedConnection {
    const head = (headers: HeaderList): DetachedConnection => this.stream.switchProtocols(headers);
    this.#answered = true;
    this.#status = 101;
    this.#top?.head(101, this.responseHeaders);
    const connection = head(this.responseHeaders);
    this.#detached = true;
    return connection;
  }

  /** The stream is over; a connection that left HTTP ends by itself. */
  streamClosed(): void {
    if (!this.#detached) {
      this.end();
    }
  }

  /** Called by who runs the exchange, and by the taker of a detached connection. */
  end(): void {
    if (!this.#ended) {
      this.#ended = true;
      this.server.exchangeEnded?.(this);
      const callbacks = this.#onEnd;
      this.#onEnd = undefined;
      for (const callback of callbacks ?? []) {
        callback();
      }
    }
  }
}

/** The end of the way of a response: the client. */
class WireSink implements ResponseSink {
  readonly #stream: HttpStream;
  readonly #exchange: Exchange;

  constructor(stream: HttpStream, exchange: Exchange) {
    this.#stream = stream;
    this.#exchange = exchange;
  }

  head(status: number, headers: HeaderList): void {
    if (status !== 101) {
      this.#stream.writeHead(status, headers);
    }
  }

  write(chunk: Uint8Array): boolean {
    this.#exchange.bytesWritten += chunk.length;
    return this.#stream.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    this.#exchange.bytesWritten += chunk?.length ?? 0;
    this.#stream.end(chunk);
  }

  flush(): void {
    this.#stream.flush();
  }

  onceDrain(callback: () => void): void {
    this.#stream.onceDrain(callback);
  }
}

async function readAll(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) {
        throw new ServerError(
          "HTTP_BODY_TOO_LARGE",
          `request body is larger than the limit of ${maxBytes} bytes`,
        );
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ServerError
      ? error
      : new ServerError("CLIENT_GONE", "the client closed the connection", { cause: error });
  }
  return Buffer.concat(chunks, length);
}
