import { randomBytes } from "node:crypto";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { ServerError } from "../../core/errors.ts";
import { getHeader, type HeaderList } from "../header-list.ts";
import type { DetachedConnection, HttpStream, StreamListener } from "../http-stream.ts";

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR } = constants;

/** Fields of one connection, which HTTP/2 knows nothing of. Source: RFC 9113, section 8.2.2 */
const ofConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);
const ofWebSocketHandshake = new Set(["sec-websocket-accept"]);

const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not stand there
const badValue = /[\0-\x08\x0a-\x1f\x7f]/;

/** The request's fields as HTTP/1 would have them: one `cookie`, no pseudo fields. */
function requestFields(raw: readonly string[]): HeaderList {
  const fields: HeaderList = [];
  let cookie = -1;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const value = raw[index + 1] ?? "";
    if (name.charCodeAt(0) === 0x3a) {
      continue;
    }
    // A browser may send it in pieces: RFC 9113, section 8.2.3.
    if (name === "cookie") {
      if (cookie >= 0) {
        fields[cookie] = `${fields[cookie]}; ${value}`;
        continue;
      }
      cookie = fields.length + 1;
    }
    fields.push(name, value);
  }
  return fields;
}

/** Names and values for node, which wants lower case and keeps lists together. @throws ServerError HTTP_RESPONSE */
function responseFields(headers: HeaderList): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase();
    const value = headers[index + 1] ?? "";
    if (!fieldName.test(name) || badValue.test(value)) {
      throw new ServerError("HTTP_RESPONSE", `header ${JSON.stringify(name)} cannot be sent`);
    }
    if (ofConnection.has(name)) {
      continue;
    }
    const before = fields[name];
    fields[name] =
      before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return fields;
}

/** One request of an HTTP/2 connection and its response. */
export class H2Stream implements HttpStream {
  readonly version = "2.0";
  readonly method: string;
  readonly target: string;
  readonly authority: string;
  readonly headers: HeaderList;
  readonly socket: Socket;
  readonly hasBody: boolean;
  readonly bodyLength: number | undefined;
  readonly upgradeProtocol: string;
  listener: StreamListener | undefined;
  readonly #stream: ServerHttp2Stream;
  #body: Readable | undefined;
  #touched = false;
  #headSent = false;
  #bodiless = false;
  /** Bytes of the declared length still to come; -1: none was declared. */
  #left = -1;
  #ended = false;
  #closed = false;
  #trailers: HeaderList = [];

  constructor(stream: ServerHttp2Stream, raw: readonly string[], socket: Socket) {
    this.#stream = stream;
    this.socket = socket;
    let method = "";
    let target = "";
    let authority = "";
    let protocol = "";
    let length: string | undefined;
    for (let index = 0; index < raw.length; index += 2) {
      const value = raw[index + 1] ?? "";
      switch (raw[index]) {
        case ":method":
          method = value;
          break;
        case ":path":
          target = value;
          break;
        case ":authority":
          authority = value;
          break;
        case ":protocol":
          protocol = value;
          break;
        case "content-length":
          length = value;
          break;
      }
    }
    this.target = target === "" ? authority : target;
    this.upgradeProtocol = method === "CONNECT" ? protocol : "";
    this.headers = requestFields(raw);
    this.authority = authority === "" ? (getHeader(this.headers, "host") ?? "") : authority;
    if (this.upgradeProtocol === "") {
      this.method = method;
    } else {
      // Handlers know upgrades of HTTP/1, whose clients send a key: RFC 8441, section 5.
      this.method = "GET";
      this.headers.push("Connection", "Upgrade", "Upgrade", protocol);
      if (protocol === "websocket") {
        this.headers.push("Sec-WebSocket-Key", randomBytes(16).toString("base64"));
      }
    }
    this.hasBody = !stream.endAfterHeaders && this.upgradeProtocol === "" && length !== "0";
    this.bodyLength = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    stream.on("error", () => {});
    stream.once("close", () => this.#onStreamClose());
  }

  get body(): Readable {
    this.#body ??= this.#openBody();
    return this.#body;
  }

  get bodyTouched(): boolean {
    return this.#touched;
  }

  get headSent(): boolean {
    return this.#headSent;
  }

  get complete(): boolean {
    return this.#ended && this.#stream.writableFinished && this.#stream.rstCode === NGHTTP2_NO_ERROR;
  }

  get closed(): boolean {
    return this.#closed || this.#ended;
  }

  respond(status: number, headers: HeaderList, body: Uint8Array | string): void {
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const noBody = this.#begin(status, headers, length, length === 0);
    if (noBody || length === 0) {
      this.#ended = true;
      if (this.#left > 0 && !noBody) {
        this.destroy();
      }
      return;
    }
    this.end(body);
  }

  writeHead(status: number, headers: HeaderList): void {
    this.#begin(status, headers, undefined, false);
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.#closed || this.#bodiless || this.#ended) {
      return true;
    }
    this.#count(typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length);
    return this.#stream.write(chunk);
  }

  end(chunk: Uint8Array | string = ""): void {
    if (this.#ended || this.#closed) {
      return;
    }
    this.#ended = true;
    if (this.#bodiless) {
      return;
    }
    this.#count(typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.length);
    if (this.#left > 0) {
      this.destroy(); // shorter than its head says: it must not look whole
    } else if (chunk.length > 0) {
      this.#stream.end(chunk);
    } else {
      this.#stream.end();
    }
  }

  flush(): void {} // nothing is held back

  addTrailers(trailers: HeaderList): void {
    this.#trailers = [...this.#trailers, ...trailers];
  }

  onceDrain(callback: () => void): void {
    if (this.#stream.writableNeedDrain) {
      this.#stream.once("drain", callback);
    } else {
      process.nextTick(callback);
    }
  }

  closeAfterwards(): void {} // other streams of the connection have nothing to do with it

  switchProtocols(headers: HeaderList): DetachedConnection {
    if (this.upgradeProtocol === "") {
      throw new ServerError("HTTP_RESPONSE", "the request asks for no upgrade");
    }
    const fields = responseFields(
      headers.filter(
        (_, index) => !ofWebSocketHandshake.has((headers[index - (index % 2)] ?? "").toLowerCase()),
      ),
    );
    this.#headSent = true;
    this.#stream.respond({ ":status": 200, ...fields });
    return { socket: this.#stream, head: Buffer.alloc(0) };
  }

  writeInterim(status: number, headers: HeaderList): void {
    if (!this.#headSent && !this.#closed && status !== 101) {
      this.#stream.additionalHeaders({ ":status": status, ...responseFields(headers) });
    }
  }

  destroy(): void {
    this.#stream.close(NGHTTP2_INTERNAL_ERROR);
  }

  /** @param length of a body that is known whole. @param empty nothing follows. @returns whether the response has no body */
  #begin(status: number, headers: HeaderList, length: number | undefined, empty: boolean): boolean {
    if (status < 200 || status > 999) {
      throw new ServerError("HTTP_RESPONSE", `status ${status} is not that of a final response`);
    }
    const fields = responseFields(headers);
    const declared = fields["content-length"];
    if (Array.isArray(declared) || (declared !== undefined && !/^\d{1,15}$/.test(declared))) {
      throw new ServerError("HTTP_RESPONSE", `Content-Length ${JSON.stringify(declared)} is no number`);
    }
    const noBody = status === 204 || status === 304;
    this.#bodiless = noBody || this.method === "HEAD";
    if (declared !== undefined) {
      this.#left = Number(declared);
    } else if (length !== undefined) {
      this.#left = length;
      if (!noBody && !(this.method === "HEAD" && length === 0)) {
        fields["content-length"] = String(length);
      }
    }
    this.#headSent = true;
    if (this.#closed || this.#stream.destroyed || this.#stream.closed) {
      return this.#bodiless;
    }
    const streamed = !this.#bodiless && length === undefined;
    if (streamed) {
      this.#stream.once("wantTrailers", () => this.#sendTrailers());
    }
    this.#stream.respond(
      { ":status": status, ...fields },
      { endStream: this.#bodiless || empty, waitForTrailers: streamed },
    );
    return this.#bodiless;
  }

  #sendTrailers(): void {
    try {
      this.#stream.sendTrailers(responseFields(this.#trailers));
    } catch {
      this.destroy();
    }
  }

  #count(length: number): void {
    if (this.#left >= 0) {
      if (length > this.#left) {
        this.destroy();
        throw new ServerError("HTTP_RESPONSE", "the body is longer than its Content-Length");
      }
      this.#left -= length;
    }
  }

  #openBody(): Readable {
    const stream = this.#stream;
    const body = new Readable({
      read: () => {
        if (!this.#touched) {
          this.#touched = true;
          stream.on("data", (chunk: Buffer) => {
            if (!body.push(chunk)) {
              stream.pause();
            }
          });
          stream.once("end", () => {
            if (!stream.aborted) {
              body.push(null);
            }
          });
        } else {
          stream.resume();
        }
      },
    });
    if (!this.hasBody || this.#closed) {
      body.push(null);
    }
    return body;
  }

  #onStreamClose(): void {
    this.#closed = true;
    const body = this.#body;
    if (
      body !== undefined &&
      !body.readableEnded &&
      !body.destroyed &&
      (this.#stream.aborted || !this.#ended)
    ) {
      body.destroy(new ServerError("CLIENT_GONE", "the client closed the stream"));
    }
    const { listener } = this;
    this.listener = undefined;
    listener?.streamClosed();
  }
}
