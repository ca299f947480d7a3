import { METHODS } from "node:http";
import type { HeaderList } from "../header-list.ts";
import { connectionWords, readFieldLines } from "./field-lines.ts";
import type { FieldsCache } from "./fields-cache.ts";
import { Http1Error } from "./http1-error.ts";

/** The fields of an HTTP/1 request, and the framing that they declare. */
export interface RequestFields {
  /** Names and values in turn, as sent and in the order of the request. */
  readonly headers: HeaderList;
  /** Value of the `Host` field; "" when there is none. */
  readonly host: string;
  /** Length of the body in bytes; -1 for a chunked body. */
  readonly bodyLength: number;
  /** True when the connection may carry another request. */
  readonly keepAlive: boolean;
  /** True when the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** The protocol requested by `Upgrade`; "" without one, for h2c, and for a request with a body. */
  readonly upgradeProtocol: string;
  /** A cache of values that handlers derive from the fields. */
  readonly cache: FieldsCache;
}

/** The head of an HTTP/1 request: its first line and its fields. */
export interface RequestHead {
  /** Version of the request. It determines keep-alive, chunked encoding, and the need for `Host`. */
  readonly version: "1.0" | "1.1";
  /** Method as sent. */
  readonly method: string;
  /** Target as sent: a path, an absolute URI, an authority or `*`. */
  readonly target: string;
  /** Header fields, with the values that determine the framing of the body. */
  readonly fields: RequestFields;
}

/** Length limit of fields that are remembered. Longer fields are parsed each time. */
const maxKnownLength = 8 * 1024;
const versionLength = "HTTP/1.1".length;
const versionPart = /^ HTTP\/\d\.\d$/;
const knownMethods: ReadonlySet<string> = new Set(METHODS);
const tokenOnly = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const visibleOnly = /^[!-~\x80-\xff]+$/;
const targetForm = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i;

function checkTarget(method: string, target: string): void {
  if (method === "CONNECT") {
    // A successful answer would make the connection a tunnel, which no handler supports.
    throw refuse("CONNECT is not served over HTTP/1");
  }
  const fits = targetForm.test(target) || (target === "*" && method === "OPTIONS");
  if (!fits) {
    throw refuse(`malformed request target ${JSON.stringify(target.slice(0, 80))}`);
  }
}

/**
 * Parses the heads of one connection. Most clients send the same fields with each request; repeated fields are parsed
 * once.
 */
export class RequestHeadReader {
  /** The text after the target of the last request; `#fields` is its parsed form. */
  #known = "";
  #fields: RequestFields | undefined;
  /** The previous request; `#text` is its text with the empty line. */
  #head: RequestHead | undefined;
  #text = "";

  /** Forgets the fields of the previous request. */
  rest(): void {
    this.#known = "";
    this.#fields = undefined;
    this.#head = undefined;
    this.#text = "";
  }

  /** @returns the head of the previous request when these bytes are exactly the same head and nothing else */
  readAgain(bytes: Buffer): RequestHead | undefined {
    return bytes.length === this.#text.length && bytes.toString("latin1") === this.#text
      ? this.#head
      : undefined;
  }

  /**
   * Parses the head of a request strictly: anything that two parsers could read differently is refused.
   * @param text the head without the empty line at its end, one character per byte; its last line ends with CR LF
   * @throws Http1Error
   * Source: RFC 9112
   */
  read(text: string): RequestHead {
    const lineEnd = text.indexOf("\r\n");
    const afterMethod = text.indexOf(" ");
    const afterTarget = lineEnd - versionLength - 1;
    const method = text.slice(0, Math.max(0, afterMethod));
    const target = text.slice(afterMethod + 1, Math.max(0, afterTarget));
    if (
      afterTarget <= afterMethod ||
      !versionPart.test(text.slice(afterTarget, lineEnd)) ||
      !(knownMethods.has(method) || tokenOnly.test(method)) ||
      !visibleOnly.test(target)
    ) {
      throw refuse(`malformed request line ${JSON.stringify(text.slice(0, Math.min(lineEnd, 80)))}`);
    }
    const version = text.slice(lineEnd - 3, lineEnd);
    if (version !== "1.1" && version !== "1.0") {
      throw new Http1Error("version", `unsupported protocol version HTTP/${version}`);
    }
    checkTarget(method, target);
    const rest = text.slice(lineEnd - 1); // with the version, on which the meaning of fields depends
    if (rest !== this.#known || this.#fields === undefined) {
      const fields = parseRequestFields(text, lineEnd + 2, version);
      this.#known = rest.length <= maxKnownLength ? rest : "";
      this.#fields = fields;
    }
    const head: RequestHead = { version, method, target, fields: this.#fields };
    this.#head = text.length <= maxKnownLength ? head : undefined;
    this.#text = this.#head === undefined ? "" : `${text}\r\n`;
    return head;
  }
}

/** @returns the error for a malformed request */
function refuse(text: string): Http1Error {
  return new Http1Error("malformed", text);
}

/** Values of the fields that determine a message's framing; undefined when absent. */
interface Framing {
  /** Number of `Host` fields. A request with more than one is refused. Source: RFC 9112, section 3.2 */
  hosts: number;
  /** Value of `Host`; "" without the field. */
  host: string;
  /**
   * Value of `Content-Length`; undefined without the field. Several fields are refused, even if their values are equal.
   */
  contentLength: string | undefined;
  /**
   * Value of `Transfer-Encoding`; any value except `chunked` is refused, because the end of the body would be unknown.
   */
  transferEncoding: string | undefined;
  /** Joined values of `Connection`: `close`, `keep-alive`, `upgrade`. */
  connection: string;
  /** Value of `Expect`. With `100-continue`, the client waits with the body until the server wants it. */
  expect: string;
  /** Value of `Upgrade`: the protocol that the client offers to switch to. */
  upgrade: string;
}

function note(framing: Framing, name: string, value: string): void {
  // Most fields have a different length from these names, so the length is compared first.
  switch (name.length) {
    case 4:
      if (name.toLowerCase() === "host") {
        framing.hosts++;
        framing.host = value;
      }
      break;
    case 6:
      if (name.toLowerCase() === "expect") {
        framing.expect += framing.expect === "" ? value : `, ${value}`;
      }
      break;
    case 7:
      framing.upgrade = name.toLowerCase() === "upgrade" ? value : framing.upgrade;
      break;
    case 10:
      if (name.toLowerCase() === "connection") {
        framing.connection += `,${value}`;
      }
      break;
    case 14:
      if (name.toLowerCase() === "content-length") {
        // Several fields become a list, which is not a number and is refused below, even if the values are equal.
        framing.contentLength =
          framing.contentLength === undefined ? value : `${framing.contentLength},${value}`;
      }
      break;
    case 17:
      if (name.toLowerCase() === "transfer-encoding") {
        framing.transferEncoding =
          framing.transferEncoding === undefined ? value : `${framing.transferEncoding},${value}`;
      }
      break;
  }
}

/** @throws Http1Error */
function bodyLengthOf(framing: Framing, version: string): number {
  const { contentLength, transferEncoding } = framing;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) {
      throw refuse("both Content-Length and Transfer-Encoding");
    }
    if (version === "1.0") {
      throw refuse("Transfer-Encoding in HTTP/1.0");
    }
    const codings = transferEncoding
      .toLowerCase()
      .split(",")
      .map((coding) => coding.trim());
    if (codings.length === 1 && codings[0] === "chunked") {
      return -1;
    }
    if (codings.slice(0, -1).includes("chunked")) {
      throw refuse(`chunked is not the last transfer encoding: ${JSON.stringify(transferEncoding)}`);
    }
    throw new Http1Error(
      "transfer-encoding",
      `unknown transfer encoding ${JSON.stringify(transferEncoding)}`,
    );
  }
  if (contentLength === undefined) {
    return 0;
  }
  if (!/^\d{1,15}$/.test(contentLength)) {
    throw refuse(`malformed Content-Length ${JSON.stringify(contentLength.slice(0, 80))}`);
  }
  return Number(contentLength);
}

/**
 * Parses the fields of a request strictly: anything that two parsers could read differently is refused.
 * @param text the head
 * @param start position of the first field line
 * @throws Http1Error
 * Source: RFC 9112
 */
function parseRequestFields(text: string, start: number, version: "1.0" | "1.1"): RequestFields {
  const headers = readFieldLines(text, start);
  if (headers === undefined) {
    throw refuse("malformed header field");
  }
  const framing: Framing = {
    hosts: 0,
    host: "",
    contentLength: undefined,
    transferEncoding: undefined,
    connection: "",
    expect: "",
    upgrade: "",
  };
  for (let index = 0; index < headers.length; index += 2) {
    note(framing, headers[index] as string, headers[index + 1] as string);
  }
  if (framing.hosts > 1 || (framing.hosts === 0 && version === "1.1")) {
    throw refuse(framing.hosts === 0 ? "missing Host header" : `${framing.hosts} Host headers, limit 1`);
  }
  const bodyLength = bodyLengthOf(framing, version);
  const listed = connectionWords(framing.connection);
  if (framing.expect !== "" && !/(?:^|,)[ \t]*100-continue[ \t]*(?:,|$)/i.test(framing.expect)) {
    throw new Http1Error("expectation", `unknown expectation ${JSON.stringify(framing.expect)}`);
  }
  return {
    headers,
    host: framing.host,
    bodyLength,
    keepAlive: version === "1.1" ? !listed.includes("close") : listed.includes("keep-alive"),
    expectsContinue: framing.expect !== "" && bodyLength !== 0 && version === "1.1",
    // An upgrade to h2c, and an upgrade of a request with a body, is declined: the answer is HTTP/1.1 (RFC 9110,
    // section 7.8).
    upgradeProtocol:
      framing.upgrade !== "" &&
      bodyLength === 0 &&
      listed.includes("upgrade") &&
      framing.upgrade.toLowerCase() !== "h2c"
        ? framing.upgrade
        : "",
    cache: { owner: undefined, value: undefined },
  };
}
