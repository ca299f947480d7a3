import type { Exchange } from "http-engine/exchange";
import { getHeaders } from "http-engine/header-list";

/** The value of the first cookie of a name; undefined when there is none. Source: RFC 6265 section 4.2 */
export function readCookie(exchange: Exchange, name: string): string | undefined {
  for (const header of getHeaders(exchange.requestHeaders, "cookie")) {
    for (const pair of header.split(";")) {
      const cut = pair.indexOf("=");
      if (cut !== -1 && pair.slice(0, cut).trim() === name) {
        return pair
          .slice(cut + 1)
          .trim()
          .replace(/^"(.*)"$/, "$1");
      }
    }
  }
  return undefined;
}
