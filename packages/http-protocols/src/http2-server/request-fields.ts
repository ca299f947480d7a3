import type { HeaderList } from "../header-list.ts";
import type { HeaderField } from "../http2/header-field.ts";
import { fieldProblem, fieldValue } from "../http2/received-fields.ts";

/** The checked head of an HTTP/2 request. */
export interface H2RequestHead {
  /** Value of `:method`. */
  readonly method: string;
  /** Value of `:path`; for a CONNECT without `:protocol`, the authority. */
  readonly target: string;
  /** Value of `:authority`, or of `host` without `:authority`; "" when both are missing. */
  readonly authority: string;
  /** Value of `:protocol` of an extended CONNECT; otherwise "". Source: RFC 8441 */
  readonly protocol: string;
  /** Fields in the form of HTTP/1: at most one `cookie` field, no pseudo-header fields. */
  readonly headers: HeaderList;
  /** Declared length of the body; undefined when the client declares none. */
  readonly contentLength: number | undefined;
  /** True when the client waits for status 100 before it sends the body. */
  readonly expectsContinue: boolean;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const schemes = /^https?$/;
const path = /^(?:\/[!-~\x80-\xff]*|\*)$/;

interface PseudoFields {
  /** Value of `:method`; undefined until it is read. A request without it is refused. */
  method: string | undefined;
  /** Value of `:scheme`; absent only in a plain CONNECT. */
  scheme: string | undefined;
  /** Value of `:path`; absent only in a plain CONNECT, and never empty. */
  path: string | undefined;
  /** `:authority`, which has priority over `Host`. */
  authority: string | undefined;
  /** `:protocol` of an extended CONNECT. Source: RFC 8441 */
  protocol: string | undefined;
}

const noPseudoFields = (): PseudoFields => ({
  method: undefined,
  scheme: undefined,
  path: undefined,
  authority: undefined,
  protocol: undefined,
});

/**
 * Stores a pseudo-header field. @param isLate true when the field follows ordinary fields. @returns the fault; "" for a
 * valid field
 */
function takePseudo(pseudo: PseudoFields, { name, value }: HeaderField, isLate: boolean): string {
  if (isLate) {
    return `field ${name} stands behind others`;
  }
  const key = name.slice(1);
  if (!Object.hasOwn(pseudo, key)) {
    return `field ${JSON.stringify(name.slice(0, 80))} is unknown`;
  }
  if (pseudo[key as keyof PseudoFields] !== undefined) {
    return `field ${name} comes twice`;
  }
  if (!fieldValue.test(value)) {
    return `the value of ${name} is not allowed`;
  }
  pseudo[key as keyof PseudoFields] = value;
  return "";
}

/**
 * @returns the fault of the pseudo-header fields; "" when they are valid. Source: RFC 9113, sections 8.3.1 and 8.5; RFC
 * 8441
 */
function pseudoProblem(pseudo: PseudoFields): string {
  const { method, scheme } = pseudo;
  if (method === undefined || !token.test(method)) {
    return "field :method is missing or malformed";
  }
  if (method === "CONNECT" && pseudo.protocol === undefined) {
    return scheme === undefined && pseudo.path === undefined && pseudo.authority
      ? ""
      : "CONNECT needs :authority alone";
  }
  if (pseudo.protocol !== undefined && (method !== "CONNECT" || !token.test(pseudo.protocol))) {
    return "field :protocol is malformed, or not of a CONNECT";
  }
  if (!scheme || !schemes.test(scheme) || pseudo.path === undefined || !path.test(pseudo.path)) {
    return "field :scheme or :path is missing or malformed";
  }
  return pseudo.path === "*" && method !== "OPTIONS" ? "field :path is malformed" : "";
}

/** Refuses a `host` that differs from `:authority`: parsers could choose either. Source: RFC 9113, section 8.3.1 */
function hostProblem(host: string | undefined, authority: string | undefined): string {
  return host !== undefined && authority !== undefined && host.toLowerCase() !== authority.toLowerCase()
    ? "fields :authority and host differ"
    : "";
}

/**
 * Checks a request's fields and converts them into the form of HTTP/1.
 * @returns the head, or a text with the fault of a malformed request
 * Source: RFC 9113, sections 8.2 and 8.3
 */
export function readRequestFields(fields: readonly HeaderField[]): H2RequestHead | string {
  const pseudo = noPseudoFields();
  const headers: HeaderList = [];
  let contentLength: number | undefined;
  let cookieAt = -1;
  let host: string | undefined;
  let expectsContinue = false;
  for (const field of fields) {
    const { name, value } = field;
    const isPseudo = name.charCodeAt(0) === 0x3a;
    const problem = isPseudo ? takePseudo(pseudo, field, headers.length > 0) : fieldProblem(field);
    if (problem !== "") {
      return problem;
    }
    if (isPseudo) {
      continue;
    }
    switch (name) {
      case "content-length":
        if (!/^\d{1,15}$/.test(value) || (contentLength !== undefined && contentLength !== Number(value))) {
          return "field content-length is no number, or two of them";
        }
        contentLength = Number(value);
        break;
      case "host":
        if (host !== undefined) {
          return "field host comes twice";
        }
        host = value;
        break;
      case "expect":
        expectsContinue = value.toLowerCase() === "100-continue";
        break;
      case "cookie":
        // A browser may send cookies in several fields: RFC 9113, section 8.2.3.
        if (cookieAt >= 0) {
          headers[cookieAt] += `; ${value}`;
          continue;
        }
        cookieAt = headers.length + 1;
    }
    headers.push(name, value);
  }
  const { method = "", authority, protocol = "" } = pseudo;
  const problem = pseudoProblem(pseudo) || hostProblem(host, authority);
  if (problem !== "") {
    return problem;
  }
  return {
    method,
    target: pseudo.path ?? authority ?? "",
    authority: authority || host || "",
    protocol,
    headers,
    contentLength,
    expectsContinue,
  };
}
