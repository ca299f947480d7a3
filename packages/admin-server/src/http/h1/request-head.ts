import { ServerError } from "../../core/errors.ts";
import { parseRequestFields, type RequestFields, refuse } from "./request-fields.ts";

/** The head of an HTTP/1 request: its first line and its fields. */
export interface RequestHead {
  readonly version: "1.0" | "1.1";
  readonly method: string;
  readonly target: string;
  readonly fields: RequestFields;
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const requestLine = new RegExp(`^(${token}) ([!-~\\x80-\\xff]+) HTTP/(\\d)\\.(\\d)$`);
/** Longer fields are read each time. */
const maxKnownLength = 8 * 1024;
const targetForm = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i;

function checkTarget(method: string, target: string): void {
  if (method === "CONNECT") {
    // Its answer would turn the connection into a tunnel, which no handler opens.
    throw refuse("CONNECT is not served over HTTP/1");
  }
  const fits = targetForm.test(target) || (target === "*" && method === "OPTIONS");
  if (!fits) {
    throw refuse(`malformed request target ${JSON.stringify(target.slice(0, 80))}`);
  }
}

/** Reads the heads of one connection. Clients mostly send the same fields again: these are read once. */
export class RequestHeadReader {
  /** What came after the target of the request before, and what it means. */
  #known = "";
  #fields: RequestFields | undefined;

  /** Forgets the fields of the request before. */
  rest(): void {
    this.#known = "";
    this.#fields = undefined;
  }

  /**
   * Reads the head of a request, strictly: what two readers could understand differently is refused.
   * @param text the head without the empty line at its end, one character a byte; its last line ends with CR LF
   * @throws ServerError HTTP_BAD_REQUEST, HTTP_VERSION, HTTP_TRANSFER_ENCODING, HTTP_EXPECTATION
   * Source: RFC 9112
   */
  read(text: string): RequestHead {
    const lineEnd = text.indexOf("\r\n");
    const line = requestLine.exec(text.slice(0, lineEnd));
    if (line === null) {
      throw refuse(`malformed request line ${JSON.stringify(text.slice(0, Math.min(lineEnd, 80)))}`);
    }
    const [, method = "", target = "", major, minor] = line;
    if (major !== "1" || (minor !== "0" && minor !== "1")) {
      throw new ServerError("HTTP_VERSION", `unsupported protocol version HTTP/${major}.${minor}`);
    }
    const version = minor === "0" ? "1.0" : "1.1";
    checkTarget(method, target);
    const rest = text.slice(lineEnd - 1); // with the last digit of the version: what fields mean depends on it
    if (rest !== this.#known || this.#fields === undefined) {
      const fields = parseRequestFields(text, lineEnd + 2, version);
      this.#known = rest.length <= maxKnownLength ? rest : "";
      this.#fields = fields;
    }
    return { version, method, target, fields: this.#fields };
  }
}
