import { escapeQuery } from "../../../core/uri/query-parameters.ts";
import { decodePath } from "../../../core/uri/request-target.ts";
import type { Exchange } from "../../../http/exchange.ts";
import type { RequestLine } from "../../../http/exchange-request.ts";
import { compileMappedTemplate, type Template } from "../../../http/placeholders.ts";
import { encodePath, escapePath, escapeQueryText } from "./escape-path.ts";

/** Placeholders whose value is a decoded path. */
const decodedPaths = new Set(["http.matchers.file.relative", "http.matchers.file.remainder"]);

function compilePath(text: string): Template {
  return compileMappedTemplate(text, (value, name, exchange) => {
    if (name === "http.request.uri.path") {
      return exchange.rawPath;
    }
    return decodedPaths.has(name) ? encodePath(value) : value;
  });
}

/** A query with values escaped; a whole query in it stays as it is. */
function compileQuery(text: string): Template {
  const parts = text.split("&").map((part) => {
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

function split(uri: string): { path: string; query: string | undefined } {
  const bare = uri.replace(/#.*$/s, "");
  const cut = bare.indexOf("?");
  return cut === -1
    ? { path: bare, query: undefined }
    : { path: bare.slice(0, cut), query: bare.slice(cut + 1) };
}

/**
 * Prepares another path and query. A query that comes with a placeholder of the path counts when the text has none.
 * @returns the parts that change
 */
export function compileUri(uri: string): (exchange: Exchange) => Partial<RequestLine> {
  const { path, query } = split(uri);
  const pathOf = path === "" ? undefined : compilePath(path);
  const queryOf = query === undefined ? undefined : compileQuery(query);
  return (exchange) => {
    const line: { rawPath?: string; query?: string } = {};
    if (pathOf !== undefined) {
      const found = split(pathOf(exchange));
      const rawPath = found.path.startsWith("/") ? found.path : `/${found.path}`;
      const decoded = decodePath(rawPath);
      // An escape that need not be one is none any more. Source: the public model
      line.rawPath = decoded === undefined ? escapePath(rawPath) : encodePath(decoded);
      if (found.query !== undefined && !query) {
        line.query = `?${escapeQueryText(found.query)}`;
      }
    }
    if (queryOf !== undefined && line.query === undefined) {
      const text = queryOf(exchange);
      line.query = text === "" ? "" : `?${escapeQueryText(text)}`;
    }
    return line;
  };
}
