import { cleanPath } from "../../../core/uri/clean-path.ts";
import { escapePath, percentDecode } from "../../../core/uri/percent-encoding.ts";
import type { Exchange } from "../../../http/exchange.ts";

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Redirects for good to a path of the same host; the query stays.
 * @param rawPath percent-encoded; cleaned here, as `//` would make another host of it
 */
export function redirectTo(exchange: Exchange, rawPath: string): void {
  const path = percentDecode(rawPath) ?? rawPath;
  const clean = cleanPath(path);
  const target = (clean === path ? rawPath : escapePath(clean)) + exchange.original.target.query;
  exchange.responseHeaders.push("Location", target);
  if (exchange.method !== "GET" && exchange.method !== "HEAD") {
    // A program, not a reader of pages.
    exchange.responseHeaders.push("Content-Length", "0");
    exchange.respond(308);
    return;
  }
  const body = `<a href="${escapeHtml(target)}">Permanent Redirect</a>.\n\n`;
  exchange.responseHeaders.push("Content-Type", "text/html; charset=utf-8");
  exchange.responseHeaders.push("Content-Length", String(Buffer.byteLength(body)));
  exchange.respond(308, exchange.method === "HEAD" ? "" : body);
}
