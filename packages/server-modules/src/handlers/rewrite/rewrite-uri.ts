import type { Exchange } from "http-engine/exchange";
import type { RequestLineChange } from "http-engine/exchange-request";
import { compileMappedTemplate, type Template } from "http-engine/placeholders";
import { cleanPath, leavesRoot } from "server-core/uri/clean-path";
import { escapePath, escapeQuery, escapeSegments, percentDecode } from "server-core/uri/percent-encoding";

/** Placeholders whose value is a decoded path of a file. */
const filePaths = new Set(["http.matchers.file.relative", "http.matchers.file.remainder"]);
/** Placeholders whose value begins with the client's request path. */
const requestPaths = /^http\.request\.(?:orig_)?uri(?:\.path)?$/;

/**
 * Keeps a request path inside the folder that a rewrite prepends: `/public{http.request.uri}` must not become
 * `/public/../private`.
 */
function keepBelow(uri: string): string {
  const cut = uri.indexOf("?");
  const path = percentDecode(cut === -1 ? uri : uri.slice(0, cut));
  return path === undefined || !leavesRoot(path)
    ? uri
    : escapePath(cleanPath(path, false)) + (cut === -1 ? "" : uri.slice(cut));
}

/** Compiles the path of the target. Placeholder values are escaped for a path. */
function compilePath(text: string): Template {
  return compileMappedTemplate(text, (value, name, exchange) => {
    if (filePaths.has(name)) {
      return escapeSegments(value);
    }
    const escaped = name === "http.request.uri.path" ? exchange.rawPath : value;
    return requestPaths.test(name) && !text.startsWith(`{${name}}`) ? keepBelow(escaped) : escaped;
  });
}

/** Removes a final `=`. Source: Caddy */
function withoutLastEqualsSign(query: string): string {
  return query.replace(/(?<=^|&)([^=]*)=$/, "$1");
}

/** Compiles the query of the target. Placeholder values are escaped, except a placeholder for a whole query. */
function compileQuery(text: string): Template {
  const parts = withoutLastEqualsSign(text)
    .split("&")
    .map((part) => {
      const cut = part.indexOf("=");
      const name = compileMappedTemplate(cut === -1 ? part : part.slice(0, cut), (value, placeholder) =>
        placeholder === "http.request.uri.query" ? value : escapeQuery(value),
      );
      const value =
        cut === -1 ? undefined : compileMappedTemplate(part.slice(cut + 1), (each) => escapeQuery(each));
      return (exchange: Exchange) =>
        value === undefined ? name(exchange) : `${name(exchange)}=${value(exchange)}`;
    });
  return (exchange) =>
    parts
      .map((part) => part(exchange))
      .filter((part) => part !== "")
      .join("&");
}

/**
 * The query inside of a placeholder for the path; braces in it are escaped, so that placeholders in it are not
 * replaced.
 */
function takenQuery(query: string): string {
  const parts = query.replaceAll("{", "%7B").replaceAll("}", "%7D").split("&");
  return withoutLastEqualsSign(parts.filter((part) => part !== "").join("&"));
}

/** Path and query of a target; a fragment is dropped. */
function split(uri: string): { path: string; query: string | undefined } {
  const bare = uri.replace(/#.*$/s, "");
  const cut = bare.indexOf("?");
  return cut === -1
    ? { path: bare, query: undefined }
    : { path: bare.slice(0, cut), query: bare.slice(cut + 1) };
}

/** The query with its `?`; "" without a query. */
function queryChange(exchange: Exchange, text: string): string {
  // A `?` with an empty query stays, as the client sent it.
  return text === "" && exchange.query !== "?" ? "" : `?${text}`;
}

/**
 * Compiles a new path and query. If the text has no query, a query inside a path placeholder is used.
 * | Target | Request `/a?x=1` becomes |
 * |---|---|
 * | `/b` | `/b?x=1` |
 * | `/b?` | `/b` |
 * | `?y=2` | `/a?y=2` |
 * | `/b{http.request.uri}` | `/b/a?x=1` |
 * @returns the changed parts
 * Source: Caddy 2.11, handler `rewrite`
 */
export function compileUri(uri: string): (exchange: Exchange) => RequestLineChange {
  const { path, query } = split(uri);
  const pathOf = path === "" ? undefined : compilePath(path);
  const queryOf = query === undefined ? undefined : compileQuery(query);
  return (exchange) => {
    const found = pathOf === undefined ? undefined : split(pathOf(exchange));
    // The path is decoded, so that needless escapes disappear.
    const change = found === undefined ? {} : { path: percentDecode(found.path) ?? found.path };
    if (found?.query !== undefined && !query) {
      return { ...change, query: queryChange(exchange, takenQuery(found.query)) };
    }
    return queryOf === undefined ? change : { ...change, query: queryChange(exchange, queryOf(exchange)) };
  };
}
