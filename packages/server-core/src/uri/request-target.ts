import { cleanPath } from "./clean-path.ts";
import { escapePath, escapeQueryText, isEscapedPath, percentDecode } from "./percent-encoding.ts";
import { textOfBytes } from "./text-of-bytes.ts";

/** Targets that need no parsing: no escapes, no empty segments, nothing ambiguous. Most targets are such. */
const plain = /^(?:\/[A-Za-z0-9\-._~!$&'()*+,;=:@[\]]+)*\/?(?:\?[!-"$-~]*)?$/;
/**
 * A host with or without a port. Other texts, such as an open bracket or a port with letters, are read in
 * several ways.
 */
export const authorityForm = /^(?:\[[^[\]]*\]|[^[\]:]*)(?::\d*)?$/;
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i;

/**
 * Cleans a path that readers clean differently: of `/admin//../x` those that merge slashes first make `/x`, others
 * `/admin/x` (RFC 3986, section 5.2.4). Other paths stay as they are.
 */
function withoutAmbiguity(path: string): string {
  if (!path.includes("//") || !path.includes("/..")) {
    return path;
  }
  const clean = cleanPath(path);
  return cleanPath(cleanPath(path, false)) === clean ? path : clean;
}

/**
 * Path and query of a request in the one form that all judge and pass on: matchers, upstreams, placeholders, files and
 * logs. Never changed in place. Source: Go, `net/url.URL`
 */
export class RequestTarget {
  /** Decoded, not cleaned. Bytes that are no UTF-8 are lone surrogates: see `textOfBytes`. */
  readonly path: string;
  /** Percent-encoded, not cleaned: ASCII that every reader of URLs takes for a path. It decodes to {@link path}. */
  readonly rawPath: string;
  /** With its `?`, or "". Printable ASCII without `#`. */
  readonly query: string;
  /** From the absolute form `http://host/path`; undefined otherwise. */
  readonly authority: string | undefined;

  private constructor(path: string, rawPath: string, query: string, authority?: string) {
    this.path = path;
    this.rawPath = rawPath;
    this.query = query;
    this.authority = authority;
  }

  /**
   * Reads the target of a request line, or `:path`.
   * @param sent one character for each byte; no blanks and no control characters
   * @returns why it cannot be one: a bad escape, a NUL in the path
   */
  static parse(sent: string): RequestTarget | string {
    if (sent.charCodeAt(0) !== 0x2f || !plain.test(sent)) {
      return RequestTarget.#parseOdd(sent);
    }
    const cut = sent.indexOf("?");
    const path = cut === -1 ? sent : sent.slice(0, cut);
    return new RequestTarget(path, path, cut === -1 ? "" : sent.slice(cut));
  }

  static #parseOdd(sent: string): RequestTarget | string {
    const absolute = absoluteForm.exec(sent);
    const rest = absolute === null ? sent : sent.slice(absolute[0].length);
    const cut = rest.indexOf("?");
    const rawPath = cut === -1 ? rest : rest.slice(0, cut);
    const query = cut === -1 ? "" : escapeQueryText(textOfBytes(rest.slice(cut)));
    if (rawPath === "*") {
      return new RequestTarget("*", "*", query);
    }
    return RequestTarget.#checked(textOfBytes(rawPath), query, absolute?.[1]);
  }

  static #checked(rawPath: string, query: string, authority: string | undefined): RequestTarget | string {
    if (authority !== undefined && !authorityForm.test(authority)) {
      return `malformed authority ${JSON.stringify(authority.slice(0, 80))}`;
    }
    const path = percentDecode(rawPath);
    if (path === undefined) {
      return `invalid URL escape in ${JSON.stringify(rawPath)}`;
    }
    if (path.includes("\0")) {
      return "the path contains a NUL";
    }
    if (!path.startsWith("/") && (rawPath !== "" || authority === undefined)) {
      return `malformed request target ${JSON.stringify(rawPath.slice(0, 80))}`;
    }
    return RequestTarget.#made(path || "/", rawPath || "/", query, authority);
  }

  static #made(path: string, rawPath: string, query: string, authority?: string): RequestTarget {
    const clear = withoutAmbiguity(path);
    return new RequestTarget(
      clear,
      clear === path && isEscapedPath(rawPath) ? rawPath : escapePath(clear),
      query,
      authority,
    );
  }

  /** Path and query, as an upstream is asked for them. */
  get text(): string {
    return this.rawPath + this.query;
  }

  /** @param path decoded; put below the root where it is relative */
  withPath(path: string): RequestTarget {
    const rooted = path.startsWith("/") ? path : `/${path}`;
    const clear = withoutAmbiguity(rooted);
    return new RequestTarget(clear, escapePath(clear), this.query);
  }

  /**
   * @param text percent-encoded as far as its author knew how, and put below the root where it is relative; a bad escape
   *   makes plain text of all of it
   */
  withRawPath(text: string): RequestTarget {
    const rooted = text.startsWith("/") ? text : `/${text}`;
    const path = percentDecode(rooted);
    return path === undefined ? this.withPath(rooted) : RequestTarget.#made(path, rooted, this.query);
  }

  /** @param query with its `?`, or "" */
  withQuery(query: string): RequestTarget {
    return new RequestTarget(this.path, this.rawPath, escapeQueryText(query));
  }
}
