import type { Exchange } from "http-engine/exchange";
import type { RequestLineChange } from "http-engine/exchange-request";
import { compileMappedTemplate, type Template } from "http-engine/placeholders";
import { cleanPath, leavesRoot } from "server-core/uri/clean-path";
import { escapePath, escapeQuery, escapeSegments, percentDecode } from "server-core/uri/percent-encoding";

/** Placeholders whose value is a decoded path of a file. */
const filePaths = new Set(["http.matchers.file.relative", "http.matchers.file.remainder"]);
/** Placeholders that begin with the path of the request, which a client chose. */
const requestPaths = /^http\.request\.(?:orig_)?uri(?:\.path)?$/;

/**
 * Keeps a request's path below the folder that a rewrite prepends: `/public{http.request.uri}` must not become
 * `/public/../private`.
 */
function keepBelow(uri: string): string {
  const cut = uri.indexOf("?");
  const path = percentDecode(cut === -1 ? uri : uri.slice(0, cut));
  return path === undefined || !leavesRoot(path)
    ? uri
    : escapePath(cleanPath(path, false)) + (cut === -1 ? "" : uri.slice(cut));
}

/** The path of the target with placeholders escaped as a path needs it. */
function compilePath(text: string): Template {
  return compileMappedTemplate(text, (value, name, exchange) => {
    if (filePaths.has(name)) {
      return escapeSegments(value);
    }
    const escaped = name === "http.request.uri.path" ? exchange.rawPath : value;
    return requestPaths.test(name) && !text.startsWith(`{${name}}`) ? keepBelow(escaped) : escaped;
  });
}

/** A `=` at the very end is dropped. Source: the public model */
function withoutLastEqualsSign(query: string): string {
  return query.replace(/(?<=^|&)([^=]*)=$/, "$1");
}

/** Escapes the values of placeholders in a query. A placeholder for a whole query is inserted unchanged. */
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

/** A query that came with a placeholder of the path: nothing in it is a placeholder. */
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

/** The query with its `?`, or nothing. */
function queryChange(exchange: Exchange, text: string): string {
  // A `?` without a query stays: the target was sent with one.
  return text === "" && exchange.query !== "?" ? "" : `?${text}`;
}

/**
 * Prepares another path and query. A query that comes with a placeholder of the path counts when the text has
 * none.
 * | Target | Request `/a?x=1` becomes |
 * |---|---|
 * | `/b` | `/b?x=1` |
 * | `/b?` | `/b` |
 * | `?y=2` | `/a?y=2` |
 * | `/b{http.request.uri}` | `/b/a?x=1` |
 * @returns the parts that change
 * Source: the public model (Caddy 2.11), handler `rewrite`
 */
export function compileUri(uri: string): (exchange: Exchange) => RequestLineChange {
  const { path, query } = split(uri);
  const pathOf = path === "" ? undefined : compilePath(path);
  const queryOf = query === undefined ? undefined : compileQuery(query);
  return (exchange) => {
    const found = pathOf === undefined ? undefined : split(pathOf(exchange));
    // An escape that need not be one is none any more.
    const change = found === undefined ? {} : { path: percentDecode(found.path) ?? found.path };
    if (found?.query !== undefined && !query) {
      return { ...change, query: queryChange(exchange, takenQuery(found.query)) };
    }
    return queryOf === undefined ? change : { ...change, query: queryChange(exchange, queryOf(exchange)) };
  };
}
