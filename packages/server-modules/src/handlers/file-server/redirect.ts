import type { Exchange } from "http-engine/exchange";
import { getHeader, setContentLength, setHeader } from "http-engine/header-list";
import { cleanPath } from "server-core/uri/clean-path";
import { escapePath, percentDecode } from "server-core/uri/percent-encoding";

/** HTML characters that must be escaped in text and attributes. */
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/**
 * Redirects permanently (308) to a path of the same host. The redirect keeps the current query, including a query that
 * a rewrite has set. The body has a link, unless the site has set a Content-Type or the method is not GET.
 * @param rawPath percent-encoded. A leading `//` is cleaned, because browsers would read a host after it
 * Source: Go, `net/http.Redirect`, for Caddy 2.11
 */
export function redirectTo(exchange: Exchange, rawPath: string): void {
  const { method, query, responseHeaders } = exchange;
  const path = percentDecode(rawPath) ?? rawPath;
  const clean = cleanPath(path);
  const target = (clean === path ? rawPath : escapePath(clean)) + (query === "?" ? "" : query);
  const hasPage =
    (method === "GET" || method === "HEAD") && getHeader(responseHeaders, "content-type") === undefined;
  const body = hasPage ? `<a href="${escapeHtml(target)}">Permanent Redirect</a>.\n\n` : "";
  setHeader(responseHeaders, "Location", target);
  if (hasPage) {
    responseHeaders.push("Content-Type", "text/html; charset=utf-8");
  }
  setContentLength(responseHeaders, Buffer.byteLength(body));
  exchange.respond(308, method === "HEAD" ? "" : body);
}
