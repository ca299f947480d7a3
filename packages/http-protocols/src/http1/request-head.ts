import { METHODS } from "node:http";
import { Http1Error } from "./http1-error.ts";
import { parseRequestFields, type RequestFields, refuse } from "./request-fields.ts";

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
