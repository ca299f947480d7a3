import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { cleanPath } from "server-core/uri/clean-path";
import type { RequestTarget } from "server-core/uri/request-target";
import { BytesReadable, contain, stillToRead } from "./body/contained-stream.ts";
import type { BodyFilter } from "./body/filtered-body.ts";
import { readAll } from "./body/read-all.ts";
import { getHeader, type HeaderList } from "./header-list.ts";
import type { HttpStream } from "./http-stream.ts";
import { remoteAddress } from "./remote-address.ts";
import { checkHost, type RequestMemo } from "./request-memo.ts";

/** Method and target of a request at one step of its way through the handlers. */
export interface RequestLine {
  /** Method as sent. It keeps its case, because methods are case-sensitive. Source: RFC 9110, section 9.1 */
  readonly method: string;
  /** Path and query, parsed once. */
  readonly target: RequestTarget;
}

/** Changes to a request line; absent parts stay unchanged. Give either `rawPath` or `path`, not both. */
export interface RequestLineChange {
  readonly method?: string;
  /** The whole new target; path and query must then be absent. */
  readonly target?: RequestTarget;
  /** The new path, percent-encoded. */
  readonly rawPath?: string;
  /** The new path, decoded. */
  readonly path?: string;
  /** Query with its `?`; "" without a query. */
  readonly query?: string;
}

/**
 * The authority of an absolute target replaces `Host`, also for readers of the field. Source: RFC 9112, section 3.2.2
 */
function withHost(headers: HeaderList, hostport: string): HeaderList {
  return headers.map((text, index) =>
    index % 2 === 1 && headers[index - 1]?.toLowerCase() === "host" ? hostport : text,
  );
}

/**
 * A request in the form for handlers. `rewrite`, `setHost`, `changeRequestHeaders` and `replaceBody` change the request
 * for later matchers and handlers; `original` and `stream` stay as sent.
 */
export class ExchangeRequest {
  /** The stream of the protocol, for reading; responses go through the exchange. */
  readonly stream: HttpStream;
  /** The connection, for addresses and TLS. */
  readonly socket: Socket;
  /** Time when the request's head was complete, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /**
   * Host and port, as sent in `Host` or in the authority of the target, or as a handler set them: `Example.com:8080`.
   */
  hostport: string;
  /** Fields of the request after the changes of handlers so far. Change them with {@link changeRequestHeaders}. */
  requestHeaders: HeaderList;
  /** The whole body, once {@link bufferBody} has read it or a handler has set it. */
  bufferedBody: Buffer | undefined;
  readonly #memo: RequestMemo;
  #method: string;
  #target: RequestTarget;
  #cleanedPath: string | undefined;
  #host: string | undefined;
  #original: RequestLine | undefined;
  /** The stream that replaces the client's body; undefined without a replacement. */
  #body: Readable | undefined;
  /** True when readers get a replacement or the buffered bytes, not the client's stream. */
  #isReplaced = false;
  /** Filters that will be applied when the body is read. */
  #filters: BodyFilter[] | undefined;
  /** The stream that {@link body} returned last. */
  #given: Readable | undefined;
  #buffered: Promise<Buffer> | undefined;
  #vars: Map<string, JsonValue> | undefined;

  /** @throws ServerError HTTP_BAD_REQUEST for a malformed target or `Host` */
  constructor(stream: HttpStream, memo: RequestMemo) {
    if (stream.method === "CONNECT" && stream.upgradeProtocol === "") {
      // A successful answer would make the connection a tunnel, which no handler supports.
      throw new ServerError("HTTP_BAD_REQUEST", "CONNECT is served with a protocol only");
    }
    const target = memo.targetOf(stream.target);
    this.#memo = memo;
    this.stream = stream;
    this.socket = stream.socket;
    this.#method = stream.method;
    this.#target = target;
    this.requestHeaders = stream.headers;
    this.hostport = target.authority || stream.authority;
    if (target.authority) {
      if (stream.authority !== "") {
        checkHost(stream.authority, stream.version);
      }
      this.requestHeaders = withHost(stream.headers, target.authority);
    }
    memo.checkHost(this.hostport, stream.version);
  }

  get method(): string {
    return this.#method;
  }

  /** Path as sent or rewritten: percent-encoded, not normalized. */
  get rawPath(): string {
    return this.#target.rawPath;
  }

  /** Query with its `?`; "" without a query. */
  get query(): string {
    return this.#target.query;
  }

  /** Path and query in the form for an upstream. */
  get target(): string {
    return this.#target.text;
  }

  /** Decoded path, not cleaned. */
  get path(): string {
    return this.#target.path;
  }

  /** Decoded path, without empty, `.` and `..` segments. */
  get cleanedPath(): string {
    this.#cleanedPath ??= cleanPath(this.path);
    return this.#cleanedPath;
  }

  /** {@link cleanedPath} in lower case, because path patterns ignore case. */
  get comparedPath(): string {
    return this.#memo.comparedPath(this.path);
  }

  /** The host in lower case, without port and brackets. */
  get host(): string {
    if (this.#host === undefined) {
      this.#host = this.#memo.bareHost(this.hostport);
    }
    return this.#host;
  }

  get scheme(): "http" | "https" {
    return "encrypted" in this.socket ? "https" : "http";
  }

  /** Protocol and version: `HTTP/1.1`, `HTTP/2.0`. */
  get protocol(): string {
    return `HTTP/${this.stream.version}`;
  }

  /** The address of the peer; "" over a unix socket. */
  get remoteAddress(): string {
    return remoteAddress(this.socket);
  }

  /** Request line with the changes of handlers until now. */
  get line(): RequestLine {
    return { method: this.#method, target: this.#target };
  }

  /** The request line before any handler changed it; `{http.request.orig_*}`. */
  get original(): RequestLine {
    return this.#original ?? this.line;
  }

  /**
   * Changes the request line for later handlers.
   * @throws ServerError HTTP_BAD_REQUEST for a NUL in the path; the request line is then unchanged
   */
  rewrite({ method, target, rawPath, path, query }: RequestLineChange): void {
    let changed = target ?? this.#target;
    if (rawPath !== undefined || path !== undefined) {
      changed = rawPath === undefined ? changed.withPath(path ?? "") : changed.withRawPath(rawPath);
    }
    if (query !== undefined) {
      changed = changed.withQuery(query);
    }
    if (changed.path.includes("\0")) {
      throw new ServerError("HTTP_BAD_REQUEST", "the path contains a NUL");
    }
    this.#original ??= this.line;
    this.#method = method ?? this.#method;
    this.#target = changed;
    this.#cleanedPath = undefined;
  }

  /** Undoes changes of the request line, for error routes. */
  restoreLine(): void {
    const original = this.#original;
    if (original !== undefined) {
      this.#method = original.method;
      this.#target = original.target;
      this.#cleanedPath = undefined;
    }
  }

  /** Changes the requested host; upstreams get the new host. */
  setHost(hostport: string): void {
    this.hostport = hostport;
    this.#host = undefined;
  }

  /** The first value of a request header; "" when absent. */
  header(name: string): string {
    return getHeader(this.requestHeaders, name) ?? "";
  }

  /** Lets a handler change a copy of the request's fields. The fields of `stream` stay unchanged. */
  changeRequestHeaders(change: (headers: HeaderList) => void): void {
    const copy = [...this.requestHeaders];
    change(copy);
    this.requestHeaders = copy;
  }

  get hasBody(): boolean {
    return this.#isReplaced || this.stream.hasBody;
  }

  /**
   * The whole body if it is already available: it arrived with the head, or {@link bufferBody} has read it.
   * @throws HttpError of a filter: 413
   */
  get wholeBody(): Buffer | undefined {
    const whole = this.bufferedBody ?? (this.#body === undefined ? this.stream.wholeBody : undefined);
    if (whole !== undefined && this.#filters !== undefined) {
      this.#admit(whole.length);
    }
    return whole;
  }

  /** Fields that followed the {@link body}; empty for a body that a handler set or buffered. */
  get requestTrailers(): HeaderList {
    return this.#isReplaced ? [] : this.stream.requestTrailers;
  }

  /**
   * The body: the client's body, or the body that a handler set. The stream is created on first access, so access it
   * only to read it.
   * @throws HttpError of a filter that refuses the body before it is read: 413
   */
  get body(): Readable {
    const bytes = this.bufferedBody;
    if (bytes !== undefined && (this.#body === undefined || this.#body.readableDidRead)) {
      this.#body = new BytesReadable(bytes);
    }
    if (this.#filters !== undefined) {
      this.#applyFilters(this.#filters);
    }
    this.#given = stillToRead(this.#body ?? this.stream.body);
    return this.#given;
  }

  /** True when a part of the client's body was read and not buffered, so that the request cannot be repeated. */
  get bodyTouched(): boolean {
    return this.stream.bodyTouched && this.#buffered === undefined;
  }

  /**
   * Replaces the client's body, for instance by a decoder or a fixed text. To inspect a body, use {@link
   * filterBody}.
   */
  replaceBody(body: Readable | string | Uint8Array): void {
    const bytes = typeof body === "string" || body instanceof Uint8Array ? Buffer.from(body) : undefined;
    this.#body = bytes === undefined ? contain(body as Readable) : undefined;
    if (this.#body !== undefined) {
      this.#failWithSource(this.#body);
    }
    this.#isReplaced = true;
    this.#filters = undefined;
    this.#buffered = bytes === undefined ? undefined : Promise.resolve(bytes);
    this.bufferedBody = bytes;
  }

  /**
   * Adds a filter for later readers of the body, such as a limit or a pace. A filter costs nothing while the body is
   * not read.
   */
  filterBody(filter: BodyFilter): void {
    this.#filters ??= [];
    this.#filters.push(filter);
  }

  /**
   * Reads the whole body, which can be read again afterwards.
   * @throws ServerError HTTP_BODY_TOO_LARGE over `maxBytes`, CLIENT_GONE; HttpError of a filter
   */
  async bufferBody(maxBytes: number): Promise<Buffer> {
    if (!this.hasBody) {
      return Buffer.alloc(0);
    }
    this.#buffered ??= readAll(this.body, maxBytes);
    const bytes = await this.#buffered;
    this.#admit(bytes.length);
    if (this.bufferedBody === undefined) {
      this.bufferedBody = bytes;
      this.#body = undefined;
      this.#isReplaced = true;
    }
    return bytes;
  }

  /**
   * A stream made by `pipe` does not get the errors of its source. Without this error listener, its reader would wait
   * forever.
   */
  #failWithSource(body: Readable): void {
    const source = this.#given;
    if (source !== undefined && source !== body) {
      source.on("error", (error) => body.destroy(error));
    }
  }

  #admit(bytes: number): void {
    for (const filter of this.#filters ?? []) {
      filter.admit?.(bytes);
    }
  }

  #applyFilters(filters: readonly BodyFilter[]): void {
    const length =
      this.bufferedBody?.length ?? (this.#body === undefined ? this.stream.bodyLength : undefined);
    if (length !== undefined) {
      this.#admit(length);
    }
    this.#filters = undefined;
    for (const filter of filters) {
      this.#body = contain(filter.apply(this.#body ?? this.stream.body));
    }
  }

  /** Values that handlers set for later handlers; `{http.vars.<name>}`. */
  get vars(): Map<string, JsonValue> {
    this.#vars ??= new Map();
    return this.#vars;
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
}
