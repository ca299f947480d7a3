import { type HeaderList, removeHeaders } from "http-engine/header-list";
import { connectionWords, readFieldLines } from "http-protocols/http1/field-lines";
import { keepEndToEnd } from "../../proxy-headers.ts";
import { currentHead } from "./legacy-head.ts";

/**
 * Framing of a response body.
 * - `none`: no body (HEAD, 1xx, 204, 304, or length 0)
 * - `length`: the number of bytes in `Content-Length`
 * - `chunked`: until the last chunk
 * - `untilClose`: until the upstream closes the connection, which is then not reused
 */
export const bodyFraming = { none: 0, length: 1, chunked: 2, untilClose: 3 } as const;
/** A value of {@link bodyFraming}. */
export type BodyFraming = (typeof bodyFraming)[keyof typeof bodyFraming];

export interface ResponseHead {
  readonly status: number;
  /** HTTP version without `HTTP/`. */
  readonly version: "1.0" | "1.1";
  /** Names and values in turn, as the upstream sent them. */
  readonly headers: HeaderList;
  readonly framing: BodyFraming;
  /** Body length in bytes, for framing `length`. */
  readonly length: number;
  /** True when the connection may carry a further request. */
  readonly keepAlive: boolean;
  /** Value of `Upgrade`: with status 101 the protocol that the upstream switches to; "" without the field. */
  readonly upgrade: string;
}

/** Matches the status line. The reason may be missing, and may contain any characters except control characters. */
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

interface StatusLine {
  readonly status: number;
  /** Version that determines whether the connection is kept alive. */
  readonly version: "1.0" | "1.1";
}

let latestText = "HTTP/1.1 200 OK";
let latest: StatusLine = { status: 200, version: "1.1" };

/** Parses the first line. The last result is cached. @throws Error */
function readStatusLine(text: string): StatusLine {
  if (text !== latestText) {
    const line = statusLine.exec(text);
    if (line === null) {
      throw new Error(`malformed status line ${JSON.stringify(text.slice(0, 80))}`);
    }
    latest = { status: Number(line[2]), version: line[1] === "0" ? "1.0" : "1.1" };
    latestText = text;
  }
  return latest;
}

/** @throws Error for an invalid length, or for several different lengths */
function readLength(known: number, value: string): number {
  if (!/^\d{1,15}$/.test(value)) {
    throw new Error(`malformed Content-Length ${JSON.stringify(value.slice(0, 80))}`);
  }
  if (known >= 0 && known !== Number(value)) {
    throw new Error(`Content-Length is ${known} and ${value}`);
  }
  return Number(value);
}

/** Maximum number of characters of a head that is cached. Longer heads are parsed each time. */
const maxKnownLength = 8 * 1024;

/** Parses the response heads of one upstream. Many heads within a second are equal, so the latest result is cached. */
export class ResponseHeadReader {
  /** Text of the latest head. `#method` is the method of its request, and `#head` is the parsed result. */
  #text = "";
  #method = "";
  #head: ResponseHead | undefined;

  /**
   * Like {@link parseResponseHead}, but returns only end-to-end fields, and accepts legacy heads.
   * @returns a head with a list of fields that the caller may change
   */
  read(text: string, method: string): ResponseHead {
    const known = this.#head;
    if (known !== undefined && text === this.#text && method === this.#method) {
      return { ...known, headers: [...known.headers] };
    }
    const head = parseAnyHead(text, method);
    keepEndToEnd(head.headers);
    if (text.length <= maxKnownLength) {
      this.#text = text;
      this.#method = method;
      this.#head = { ...head, headers: [...head.headers] };
    }
    return head;
  }
}

/**
 * Like {@link parseResponseHead}, but accepts legacy forms. After a legacy head, the connection is not reused.
 * @throws Error
 */
function parseAnyHead(text: string, method: string): ResponseHead {
  try {
    return parseResponseHead(text, method);
  } catch (error) {
    const current = currentHead(text);
    if (current === text) {
      throw error;
    }
    return { ...parseResponseHead(current, method), keepAlive: false };
  }
}

/**
 * Decides how the reader finds the end of the body. Source: RFC 9112, section 6.3
 * @param length declared length in bytes; -1 when none is declared
 */
function framingOf(method: string, status: number, isChunked: boolean, length: number): BodyFraming {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) {
    return bodyFraming.none;
  }
  if (isChunked) {
    return bodyFraming.chunked;
  }
  return length < 0 ? bodyFraming.untilClose : length === 0 ? bodyFraming.none : bodyFraming.length;
}

/**
 * Parses the head of a response strictly. It refuses every head that two readers could understand differently: a length
 * that is not a number, two different lengths, codings other than `chunked`, and `chunked` in HTTP/1.0. A response with
 * both a length and chunks is read as chunks, and its connection is closed afterwards.
 * @param text the head without the final empty line, one character for each byte; the last line ends with CR LF
 * @param method of the request
 * @throws Error with the reason
 * Source: RFC 9112
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const lineEnd = text.indexOf("\r\n");
  const { status, version } = readStatusLine(text.slice(0, lineEnd));
  const headers = readFieldLines(text, lineEnd + 2);
  if (headers === undefined) {
    throw new Error("malformed header field");
  }
  let length = -1;
  let coding: string | undefined;
  let connection = "";
  let upgrade = "";
  let hasTrailer = false;
  let kept = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    // The length of a name is compared first, because few names have these lengths.
    if (name.length === 14 && name.toLowerCase() === "content-length") {
      const repeated = length >= 0;
      length = readLength(length, value);
      if (repeated) {
        continue;
      }
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      coding = coding === undefined ? value.toLowerCase() : `${coding},${value.toLowerCase()}`;
    } else if (name.length === 10 && name.toLowerCase() === "connection") {
      connection += `,${value}`;
    } else if (name.length === 7) {
      const lower = name.toLowerCase();
      upgrade = lower === "upgrade" ? value : upgrade;
      hasTrailer ||= lower === "trailer";
    }
    if (kept !== index) {
      headers[kept] = name;
      headers[kept + 1] = value;
    }
    kept += 2;
  }
  headers.length = kept;
  if (coding !== undefined && (coding !== "chunked" || version === "1.0")) {
    throw new Error(`unsupported transfer encoding ${JSON.stringify(coding.slice(0, 80))}`);
  }
  const framing = framingOf(method, status, coding !== undefined, length);
  const listed = connectionWords(connection);
  let keepAlive = version === "1.1" ? !listed.includes("close") : listed.includes("keep-alive");
  if (framing === bodyFraming.untilClose) {
    keepAlive = false;
  } else if (framing === bodyFraming.chunked && length >= 0) {
    // With both length and chunks, the body is read as chunks, and the connection is not used again.
    keepAlive = false;
    headers.splice(
      headers.findIndex((each, index) => index % 2 === 0 && /^content-length$/i.test(each)),
      2,
    );
  }
  if (hasTrailer && (framing === bodyFraming.length || framing === bodyFraming.untilClose)) {
    removeHeaders(headers, (name) => name === "trailer"); // no trailers can follow such a body
  }
  return { status, version, headers, framing, length, keepAlive, upgrade };
}
