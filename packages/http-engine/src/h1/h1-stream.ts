import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { FieldsCache } from "http-protocols/http1/fields-cache";
import type { RequestHead } from "http-protocols/http1/request-head";
import { httpDate } from "http-protocols/http1/response-start";
import { ServerError } from "server-core/errors";
import { BytesReadable } from "../body/contained-stream.ts";
import { bodyTooLong, DeclaredBody, fieldsFor } from "../declared-body.ts";
import type { HeaderList } from "../header-list.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "../http-stream.ts";
import type { RequestBody } from "./request-body.ts";
import { encodeFields, encodeResponseFields, statusLine } from "./response-head.ts";
import { stableResponse } from "./stable-response.ts";

const noTrailers: HeaderList = []; // never changed

/** The body for a handler that reads it after its request has ended. */
function lostBody(): Readable {
  return new BytesReadable(new Uint8Array()).destroy(
    new ServerError("CLIENT_GONE", "the request is over, and its body with it"),
  );
}

/** Up to this size, a body is joined with its head for one write; larger bodies are written separately. */
const maxJoinedBytes = 16 * 1024;

/** The part of the connection that a stream uses. */
export interface H1Carrier {
  /** The connection, for addresses and TLS; the stream writes its response to it. */
  readonly socket: Socket;
  /** False: the listener accepts no more requests, so each response is the last of its connection. */
  readonly accepting: boolean;
  /** The body of a request; undefined when the connection no longer serves the request. */
  bodyOf(stream: H1Stream): RequestBody | undefined;
  /** Called when the response is written. @param reusable true when the connection can continue */
  responseEnded(reusable: boolean): void;
  /** Calls back when the socket has sent its buffered bytes. */
  onceDrain(callback: () => void): void;
  /** Releases the socket, with the bytes that were read after the request. */
  detach(): DetachedConnection;
}

/** One request of an HTTP/1 connection and its response. */
export class H1Stream implements HttpStream {
  readonly version: "1.0" | "1.1";
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderList;
  readonly fieldsCache: FieldsCache;
  readonly socket: Socket;
  readonly hasBody: boolean;
  readonly bodyLength: number | undefined;
  readonly upgradeProtocol: string;
  listener: StreamListener | undefined;
  readonly #carrier: H1Carrier;
  /** True when the connection may continue after the response. Source: RFC 9112, section 9.3 */
  #keepAlive: boolean;
  /** The reader for handlers; made on first use of {@link body}. */
  #body: Readable | undefined;
  /** The head, kept until it can be sent together with the first bytes; "" without a waiting head. */
  #pendingHead = "";
  /** True from the moment when the head can no longer change, also while it waits in `#pendingHead`. */
  #headSent = false;
  /**
   * True when the body has no declared length and is sent in chunks with their lengths. Source: RFC 9112, section 7.1
   */
  #chunked = false;
  /**
   * The source of {@link body}. The stream keeps a reference, because the connection continues with the next request.
   */
  #requestBody: RequestBody | undefined;
  /** Counts the body against `Content-Length`. */
  readonly #declared = new DeclaredBody();
  /** True when the handler has written the end of the response. */
  #ended = false;
  /** True when the whole response counts as sent: the socket buffers at most a small rest. */
  #complete = false;
  /** True when the response or the connection has ended. */
  #closed = false;
  /** Trailers, sent after the last chunk; dropped when the body is not chunked. */
  #trailers: HeaderList = [];

  constructor(carrier: H1Carrier, head: RequestHead) {
    this.#carrier = carrier;
    const { fields } = head;
    this.version = head.version;
    this.method = head.method;
    this.target = head.target;
    this.headers = fields.headers;
    this.fieldsCache = fields.cache;
    this.authority = fields.host;
    this.socket = carrier.socket;
    this.hasBody = fields.bodyLength !== 0;
    this.bodyLength = fields.bodyLength < 0 ? undefined : fields.bodyLength;
    this.upgradeProtocol = fields.upgradeProtocol;
    this.#keepAlive = fields.keepAlive;
  }

  get body(): Readable {
    if (this.#body === undefined) {
      this.#requestBody = this.#carrier.bodyOf(this);
      this.#body = this.#requestBody?.reader ?? lostBody();
    }
    return this.#body;
  }

  get bodyTouched(): boolean {
    return this.#carrier.bodyOf(this)?.touched === true;
  }

  get bodyBytesRead(): number {
    return this.#requestBody?.givenBytes ?? 0;
  }

  get wholeBody(): undefined {
    return undefined;
  }

  get requestTrailers(): HeaderList {
    return this.#carrier.bodyOf(this)?.trailers ?? noTrailers;
  }

  get headSent(): boolean {
    return this.#headSent;
  }

  get complete(): boolean {
    return this.#complete;
  }

  get closed(): boolean {
    return this.#closed || this.#ended;
  }

  respond(status: number, headers: HeaderList, body: Uint8Array | string): void {
    if (typeof body !== "string" && this.#respondStable(status, headers, body)) {
      return;
    }
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    this.#begin(status, headers, length, Number.POSITIVE_INFINITY);
    this.end(body);
  }

  /** Sends a response with a stable body from the cache. @returns false when it must be sent in the usual way */
  #respondStable(status: number, headers: HeaderList, body: Uint8Array): boolean {
    const usual =
      this.#keepAlive &&
      this.version === "1.1" &&
      this.method !== "HEAD" &&
      !this.#closed &&
      this.#carrier.accepting &&
      !this.#leavesTooMuch;
    const bytes = usual ? stableResponse(status, headers, body) : undefined;
    if (bytes === undefined) {
      return false;
    }
    this.#declared.begin(this.method, status, 0); // the head declares no further bytes
    this.#headSent = true;
    this.#ended = true;
    this.socket.write(bytes);
    this.#finish();
    return true;
  }

  writeHead(status: number, headers: HeaderList, goodFrom = Number.POSITIVE_INFINITY): void {
    this.#begin(status, headers, undefined, goodFrom);
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.#closed || this.#ended || this.#declared.isLeftOut) {
      return true;
    }
    const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
    if (length === 0) {
      return true;
    }
    this.#count(length);
    let after = "";
    if (this.#chunked) {
      this.#pendingHead += `${length.toString(16)}\r\n`;
      after = "\r\n";
    }
    // A socket reports "full" after each large chunk, even if the system has accepted the whole chunk.
    return this.#send(chunk, length, after) || this.socket.writableLength === 0;
  }

  end(chunk: Uint8Array | string = ""): void {
    if (this.#ended || this.#closed) {
      return;
    }
    const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length;
    this.#ended = true;
    if (this.#declared.isLeftOut) {
      this.#send("", 0, "");
    } else {
      this.#count(length);
      if (this.#chunked && length > 0) {
        this.#pendingHead += `${length.toString(16)}\r\n`;
      }
      const last = this.#chunked ? `${length > 0 ? "\r\n" : ""}0\r\n${encodeFields(this.#trailers)}\r\n` : "";
      this.#send(chunk, length, last);
      if (this.#declared.isShort) {
        this.destroy(); // the body is shorter than its head declares, so it must not look complete
        return;
      }
    }
    this.#finish();
  }

  flush(): void {
    if (this.#pendingHead !== "" && !this.#closed) {
      this.#send("", 0, "");
    }
  }

  addTrailers(trailers: HeaderList): void {
    this.#trailers = [...this.#trailers, ...trailers];
  }

  onceDrain(callback: () => void): void {
    this.#carrier.onceDrain(callback);
  }

  closeAfterwards(): void {
    this.#keepAlive = false;
  }

  switchProtocols(headers: HeaderList): DetachedConnection {
    if (this.upgradeProtocol === "") {
      throw new ServerError("HTTP_RESPONSE", "the request asks for no upgrade");
    }
    const head = `${statusLine(101)}${encodeFields(headers)}\r\n`;
    const connection = this.#carrier.detach();
    this.#headSent = true;
    connection.socket.write(head, "latin1");
    return connection;
  }

  writeInterim(status: number, headers: HeaderList): void {
    if (this.version === "1.1" && !this.#headSent && !this.#closed) {
      this.socket.write(`${statusLine(status)}${encodeFields(headers)}\r\n`, "latin1");
    }
  }

  destroy(): void {
    this.socket.destroy();
  }

  cut(): void {
    // Without a length or chunks, the end of the connection would make the response look complete.
    if (this.#pendingHead !== "" && !this.#closed && (this.#chunked || this.#declared.isShort)) {
      this.#send("", 0, "");
      if (this.socket.writableLength > 0) {
        this.socket.destroySoon(); // over TLS, the head is still buffered
        return;
      }
    }
    this.socket.destroy();
  }

  /** The connection calls this when it closes. */
  connectionClosed(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.listener?.streamClosed();
    }
  }

  /**
   * True when the unread part of the request is too large to be dropped. The response must announce the close;
   * otherwise the client would send its next request on a connection that closes. Source: Go's net/http
   */
  get #leavesTooMuch(): boolean {
    const body = this.hasBody ? this.#carrier.bodyOf(this) : undefined;
    return body !== undefined && !body.done && !body.isDroppable;
  }

  /** Prepares the head. @param length bytes of the body, when the whole body is known */
  #begin(status: number, headers: HeaderList, length: number | undefined, goodFrom: number): void {
    const fields = fieldsFor(status, headers);
    const framing = encodeResponseFields(fields, fields === headers ? goodFrom : Number.POSITIVE_INFINITY);
    let text = statusLine(status) + framing.text;
    if (!framing.hasDate) {
      text += `Date: ${httpDate()}\r\n`;
    }
    const declared = framing.contentLength ?? length;
    const mayDeclare = this.#declared.begin(this.method, status, declared);
    if (declared !== undefined) {
      if (framing.contentLength === undefined && mayDeclare) {
        text += `Content-Length: ${declared}\r\n`;
      }
    } else if (!this.#declared.isLeftOut) {
      if (this.version === "1.1") {
        this.#chunked = true;
        text += "Transfer-Encoding: chunked\r\n";
      } else {
        this.#keepAlive = false;
      }
    }
    if (framing.close || !this.#carrier.accepting || this.#leavesTooMuch) {
      this.#keepAlive = false;
    }
    if (!this.#keepAlive) {
      text += framing.close ? "" : "Connection: close\r\n";
    } else if (this.version === "1.0") {
      text += "Connection: keep-alive\r\n";
    }
    this.#pendingHead = `${text}\r\n`;
    this.#headSent = true;
  }

  /** @throws ServerError HTTP_RESPONSE for a body that is longer than declared; the connection is cut */
  #count(length: number): void {
    if (!this.#declared.take(length)) {
      this.cut();
      throw bodyTooLong();
    }
  }

  /** Sends the waiting head, a part of the body, and the text after it. */
  #send(chunk: Uint8Array | string, length: number, after: string): boolean {
    const { socket } = this;
    const before = this.#pendingHead;
    this.#pendingHead = "";
    if (length === 0) {
      return before === "" && after === "" ? true : socket.write(before + after, "latin1");
    }
    if (typeof chunk === "string") {
      // Only ASCII has as many bytes as characters.
      if (length === chunk.length) {
        return socket.write(before + chunk + after, "latin1");
      }
      return this.#send(this.#restore(before, Buffer.from(chunk)), length, after);
    }
    if (length <= maxJoinedBytes) {
      const joined = Buffer.allocUnsafe(before.length + length + after.length);
      joined.write(before, 0, "latin1");
      joined.set(chunk, before.length);
      joined.write(after, before.length + length, "latin1");
      return socket.write(joined);
    }
    if (before === "" && after === "") {
      return socket.write(chunk);
    }
    socket.cork();
    if (before !== "") {
      socket.write(before, "latin1");
    }
    let more = socket.write(chunk);
    if (after !== "") {
      more = socket.write(after, "latin1");
    }
    socket.uncork();
    return more;
  }

  #restore(before: string, chunk: Buffer): Buffer {
    this.#pendingHead = before;
    return chunk;
  }

  /** Waits until the socket has accepted the response. */
  #finish(): void {
    const { socket } = this;
    // TLS always reports the end of a write late. A small rest counts as accepted, like bytes in the system's buffers.
    // An empty write with a callback would cost one more TLS record for each response.
    if (socket.writableLength <= maxJoinedBytes || socket.destroyed) {
      this.#sent();
    } else {
      socket.write("", () => this.#sent());
    }
  }

  /** Calls the listener first, then the connection, which may start the next request immediately. */
  #sent(): void {
    if (this.#closed) {
      return;
    }
    this.#complete = !this.socket.destroyed;
    this.#closed = true;
    this.listener?.streamClosed();
    this.#carrier.responseEnded(this.#keepAlive);
  }
}
