import type { HeaderField } from "http-protocols/http2";

/** The checked header section of a request. */
export interface RequestHeaders {
  /** Value of `:method`; gRPC only uses POST. */
  readonly method: string;
  /** Value of `:path`, which contains service and method. */
  readonly path: string;
  /** Undefined when the header is absent. */
  readonly contentLength: number | undefined;
  /** Other fields: metadata of the call. */
  readonly fields: readonly HeaderField[];
}

/** Header names that concern a single HTTP/1 connection; in HTTP/2 they make a message malformed. */
const connectionNames: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Checks the header sections of the requests of one connection. */
export class RequestHeadersReader {
  /**
   * The fields of the last request. HPACK's tables return the same objects, mostly in the same order, so most checks
   * can be skipped.
   */
  #checked: readonly HeaderField[] = [];

  /** @returns the headers, or the fault of a malformed request. Source: RFC 9113, sections 8.2 and 8.3 */
  read(fields: readonly HeaderField[]): RequestHeaders | string {
    const checked = this.#checked;
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index] as HeaderField;
      // `content-length` differs for each request, so it is parsed below.
      if (field === checked[index] || field.name === "content-length") {
        continue;
      }
      const problem = fieldProblem(field);
      if (problem !== "") {
        return problem;
      }
    }
    this.#checked = fields;
    return headersOf(fields);
  }
}

/**
 * @returns the pseudo-header fields, or the fault. They must come first, once each; `content-length` may be repeated.
 */
function headersOf(fields: readonly HeaderField[]): RequestHeaders | string {
  let method: string | undefined;
  let scheme: string | undefined;
  let path: string | undefined;
  let authority: string | undefined;
  let pseudoCount = 0;
  let contentLength: number | undefined;
  for (let index = 0; index < fields.length; index++) {
    const { name, value } = fields[index] as HeaderField;
    if (name.startsWith(":")) {
      let before: string | undefined;
      switch (name) {
        case ":method":
          before = method;
          method = value;
          break;
        case ":scheme":
          before = scheme;
          scheme = value;
          break;
        case ":path":
          before = path;
          path = value;
          break;
        case ":authority":
          before = authority;
          authority = value;
          break;
        default:
          return `field ${JSON.stringify(name)} is unknown`;
      }
      if (before !== undefined) {
        return `field ${name} comes twice`;
      }
      if (pseudoCount++ < index) {
        return `field ${name} stands behind others`;
      }
    } else if (name === "content-length") {
      if (!/^\d{1,15}$/.test(value)) {
        return "field content-length is no number";
      }
      if (contentLength !== undefined && contentLength !== Number(value)) {
        return "two lengths of content";
      }
      contentLength = Number(value);
    }
  }
  if (!method || !path || !scheme) {
    return "field :method, :scheme or :path is missing";
  }
  return { method, path, contentLength, fields };
}

/** @returns the fault of a request's trailers; "" when they are valid */
export function trailersProblem(fields: readonly HeaderField[]): string {
  for (const field of fields) {
    if (field.name.startsWith(":")) {
      return `field ${JSON.stringify(field.name)} in trailers`;
    }
    const problem = fieldProblem(field);
    if (problem !== "") {
      return problem;
    }
  }
  return "";
}

/** @returns the fault of a name or value; "" when both are valid. Names must be in lower case in HTTP/2. */
function fieldProblem({ name, value }: HeaderField): string {
  if (!/^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
    return `name ${JSON.stringify(name)} is not allowed`;
  }
  if (/[\0\r\n]/.test(value)) {
    return `value of ${name} is not allowed`;
  }
  if (connectionNames.has(name)) {
    return `field ${name} is not allowed`;
  }
  if (name === "te" && value !== "trailers") {
    return "field te has another value than trailers";
  }
  return "";
}
