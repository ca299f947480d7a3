import type { Readable } from "node:stream";
import { encodeFields } from "http-engine/h1/response-head";
import { ServerError } from "server-core/errors";
import { oneUserAgent } from "../one-user-agent.ts";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";

/** Never with what upstreams cut off (`#`) or read in different ways (bytes that are no ASCII). */
const target = /^(?:[/a-zA-Z][!-"$-~]*|\*)$/;
/** Methods whose requests say that they have no body. Source: RFC 9110, section 8.6 */
export const withBody = /^(?:POST|PUT|PATCH)$/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The last that were found good: many requests in a row are for the same. */
let goodMethod = "";
let goodTarget = "";

function fieldsText({ headers, wireText }: UpstreamRequest): string {
  if (wireText === undefined) {
    return encodeFields(oneUserAgent(headers));
  }
  if (wireText.text === "") {
    // In one piece: joined of parts, it would be put together anew for each request.
    wireText.text = Buffer.from(encodeFields(oneUserAgent(headers)), "latin1").toString("latin1");
  }
  return wireText.text;
}

/**
 * The request as it stands on the wire, up to its body.
 * @param isLast says that the connection is not used again
 * @throws ServerError HTTP_BAD_REQUEST
 */
function encodeHead(request: UpstreamRequest, isLast: boolean): string {
  if (request.method !== goodMethod || request.target !== goodTarget) {
    if (!token.test(request.method) || !target.test(request.target)) {
      const text = JSON.stringify(`${request.method} ${request.target}`.slice(0, 80));
      throw new ServerError("HTTP_BAD_REQUEST", `cannot be sent on: ${text}`);
    }
    goodMethod = request.method;
    goodTarget = request.target;
  }
  let text: string;
  try {
    text = `${request.method} ${request.target} HTTP/1.1\r\n${fieldsText(request)}`;
  } catch (error) {
    throw new ServerError("HTTP_BAD_REQUEST", `cannot be sent on: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (isLast && request.upgrade === "") {
    text += "Connection: close\r\n";
  }
  const { body } = request;
  if (body instanceof Uint8Array) {
    return `${text}Content-Length: ${body.length}\r\n\r\n`;
  }
  if (body !== undefined) {
    return request.bodyLength === undefined
      ? `${text}Transfer-Encoding: chunked\r\n\r\n`
      : `${text}Content-Length: ${request.bodyLength}\r\n\r\n`;
  }
  return request.bodyLength === undefined && !withBody.test(request.method)
    ? `${text}\r\n`
    : `${text}Content-Length: 0\r\n\r\n`;
}

/** The connection that carries a call. */
interface CallCarrier {
  /** Reads on: the receiver of the response has room again. */
  resume(call: H1Call): void;
  /** Nobody wants the response any more. */
  abandon(call: H1Call): void;
}

/** One request on its way to a connection, or on one. */
export class H1Call implements UpstreamCall {
  readonly request: UpstreamRequest;
  readonly receiver: ResponseReceiver;
  readonly head: string;
  /** Whether the body waits for `100 Continue`. */
  readonly expectsContinue: boolean;
  /** Set while a connection carries it. */
  connection: CallCarrier | undefined;
  aborted = false;
  /** When it began to wait for a connection, as of `performance.now()`; 0: it did not. */
  waitingSince = 0;

  /**
   * @param isLast whether its connection is not used again
   * @throws ServerError HTTP_BAD_REQUEST
   */
  constructor(request: UpstreamRequest, receiver: ResponseReceiver, isLast = false) {
    this.request = request;
    this.receiver = receiver;
    this.head = encodeHead(request, isLast);
    this.expectsContinue =
      request.body !== undefined &&
      request.headers.some(
        (each, index) => index % 2 === 0 && each.length === 6 && each.toLowerCase() === "expect",
      );
  }

  get body(): Readable | Uint8Array | undefined {
    return this.request.body;
  }

  resume(): void {
    this.connection?.resume(this);
  }

  abort(): void {
    if (!this.aborted) {
      this.aborted = true;
      this.connection?.abandon(this);
    }
  }
}
