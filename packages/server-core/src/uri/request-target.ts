import { cleanPath } from "./clean-path.ts";
import { escapePath, escapeQueryText, isEscapedPath, percentDecode } from "./percent-encoding.ts";
import { textOfBytes } from "./text-of-bytes.ts";

/** Targets that need no parsing: they contain no escapes, no empty segments, nothing ambiguous. Most targets match. */
const plain = /^(?:\/[A-Za-z0-9\-._~!$&'()*+,;=:@[\]]+)*\/?(?:\?[!-"$-~]*)?$/;
/**
 * A host with or without a port. Readers disagree about other texts, such as an open bracket or a port with letters.
 */
export const authorityForm = /^(?:\[[^[\]]*\]|[^[\]:]*)(?::\d*)?$/;
const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i;

/**
 * Cleans a path that readers clean differently. For `/admin//../x`, readers that merge slashes first get `/x`, others
 * get `/admin/x` (RFC 3986, section 5.2.4). Other paths stay unchanged.
 */
function withoutAmbiguity(path: string): string {
  if (!path.includes("//") || !path.includes("/..")) {
    return path;
  }
  const clean = cleanPath(path);
  return cleanPath(cleanPath(path, false)) === clean ? path : clean;
}

/**
 * Path and query of a request in one form for all users: matchers, upstreams, placeholders, files and logs. Never
 * changed in place. Source: Go, `net/url.URL`
 */
export class RequestTarget {
  /** Decoded path, not cleaned. Bytes that are no UTF-8 are lone surrogates: see `textOfBytes`. */
  readonly path: string;
  /**
   * Percent-encoded path, not cleaned: ASCII that every reader of URLs accepts as a path. The raw path decodes to
   * {@link path}.
   */
  readonly rawPath: string;
  /** Query with its `?`; "" without a query. Printable ASCII without `#`. */
  readonly query: string;
  /** Authority of a target in absolute form, `http://host/path`; otherwise undefined. */
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
   * @returns the target, or the reason why the text is not a target: a bad escape, a NUL in the path
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

  /** Path and query, as sent to an upstream. */
  get text(): string {
    return this.rawPath + this.query;
  }

  /** @param path decoded; a path without a leading slash gets one */
  withPath(path: string): RequestTarget {
    const rooted = path.startsWith("/") ? path : `/${path}`;
    const clear = withoutAmbiguity(rooted);
    return new RequestTarget(clear, escapePath(clear), this.query);
  }

  /**
   * @param text percent-encoded path; a path without a leading slash gets one. A text with a bad escape is taken as a
   *   decoded path
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
