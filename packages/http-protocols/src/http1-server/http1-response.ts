import type { Http1Error, Http1Fault } from "../http1/http1-error.ts";
import type { RequestHead } from "../http1/request-head.ts";
import { httpDate, reasonPhrase } from "../http1/response-start.ts";

/** Up to this size, bytes of a body become text: a write of text needs no buffer of its own. */
const maxTextBytes = 2 * 1024;

const goodName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const badInValue = /[^\t\x20-\x7e\x80-\xff]/;

/** The part of a connection that a response uses. */
export interface ResponseCarrier {
  /** Lines that tell the client that the connection stays; "" when it closes after this response. */
  readonly stayLines: string;
  /** Sends a whole response. @param bytes text has one character for each byte. @param stays false: the last response */
  send(bytes: string | Buffer, stays: boolean): void;
}

/** The response to one request. It is complete when it is sent, so one write sends the whole response. */
export class Http1Response {
  /** Status of the response; until it is chosen, 200. */
  statusCode = 200;
  readonly #carrier: ResponseCarrier;
  readonly #isHead: boolean;
  readonly #keepAlive: boolean;
  /** Names and values in turn. */
  readonly #fields: string[] = [];
  #isSent = false;
  #isClosed = false;
  #listeners: (() => void)[] | undefined;

  constructor(carrier: ResponseCarrier, { method, fields }: RequestHead) {
    this.#carrier = carrier;
    this.#isHead = method === "HEAD";
    this.#keepAlive = fields.keepAlive;
  }

  /** True when the response is written, and can no longer change. */
  get headersSent(): boolean {
    return this.#isSent;
  }

  /** True when the connection closed before the response was written: nobody will read one. */
  get destroyed(): boolean {
    return this.#isClosed && !this.#isSent;
  }

  /** Calls back once the response is sent, or can no longer be sent. */
  once(_event: "close", listener: () => void): this {
    this.#listeners ??= [];
    this.#listeners.push(listener);
    return this;
  }

  /** Sets a field to exactly one value. @throws TypeError for a name or value that would split the response */
  setHeader(name: string, value: string | number): this {
    const text = String(value);
    if (!goodName.test(name) || badInValue.test(text)) {
      throw new TypeError(`invalid header ${JSON.stringify(name)}: ${JSON.stringify(text.slice(0, 80))}`);
    }
    const lower = name.toLowerCase();
    for (let index = 0; index < this.#fields.length; index += 2) {
      if ((this.#fields[index] as string).toLowerCase() === lower) {
        this.#fields[index + 1] = text;
        return this;
      }
    }
    this.#fields.push(name, text);
    return this;
  }

  /** Chooses the status, and sets fields. @throws TypeError as {@link setHeader} */
  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    this.statusCode = status;
    for (const name in headers) {
      this.setHeader(name, headers[name] as string | number);
    }
    return this;
  }

  /** Sends the response. A second call does nothing. */
  end(body: string | Uint8Array = ""): void {
    if (this.#isSent || this.#isClosed) {
      return;
    }
    this.#isSent = true;
    const hasBody = !this.#isHead && this.statusCode !== 204 && this.statusCode !== 304;
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const stayLines = this.#keepAlive ? this.#carrier.stayLines : "";
    let head = `HTTP/1.1 ${this.statusCode} ${reasonPhrase(this.statusCode)}\r\n`;
    let hasLength = false;
    let closes = stayLines === "";
    let saysClose = false;
    for (let index = 0; index < this.#fields.length; index += 2) {
      const name = this.#fields[index] as string;
      const value = this.#fields[index + 1] as string;
      head += `${name}: ${value}\r\n`;
      hasLength ||= name.length === 14 && name.toLowerCase() === "content-length";
      saysClose ||= name.length === 10 && name.toLowerCase() === "connection" && /\bclose\b/i.test(value);
    }
    closes ||= saysClose;
    head += `Date: ${httpDate()}\r\n`;
    if (!hasLength && hasBody) {
      head += `Content-Length: ${length}\r\n`;
    }
    if (closes) {
      head += saysClose ? "" : "Connection: close\r\n";
    } else {
      head += stayLines;
    }
    this.#carrier.send(messageOf(`${head}\r\n`, hasBody ? body : "", length), !closes);
  }

  /** The connection calls this when the response is sent, or the connection closes. */
  close(): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    for (const listener of this.#listeners ?? []) {
      listener();
    }
  }
}

/** Head and body in one piece: as text where each byte is one character, otherwise as bytes. */
function messageOf(head: string, body: string | Uint8Array, length: number): string | Buffer {
  if (typeof body === "string") {
    // Only ASCII has as many bytes as characters.
    return body === "" || length === body.length
      ? head + body
      : Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]);
  }
  return length <= maxTextBytes
    ? head + Buffer.from(body.buffer, body.byteOffset, length).toString("latin1")
    : Buffer.concat([Buffer.from(head, "latin1"), body]);
}

/** Statuses of refused heads. Several faults get the general status 400; the text of the response names the fault. */
const statuses: Readonly<Record<Http1Fault, number>> = {
  malformed: 400,
  version: 400,
  "transfer-encoding": 400,
  expectation: 417,
  "head-too-large": 431,
  late: 408,
  gone: 400,
};

/** Length limit of the reason: it may quote bytes of the client. */
const maxReason = 200;

/** The whole response to bytes that are not a request. */
export function refusalOf({ fault, message }: Http1Error): string {
  const status = statuses[fault];
  const text = `${status} ${reasonPhrase(status)}: ${message.slice(0, maxReason).replace(/[^\x20-\x7e]/g, "?")}\n`;
  return (
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
    `Content-Length: ${text.length}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${text}`
  );
}
