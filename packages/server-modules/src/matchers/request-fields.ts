import type { Exchange } from "http-engine/exchange";
import { getHeaders, headerText } from "http-engine/header-list";

/** All values of a field of the request, as text; `Host` with its port. */
export function requestFieldValues(exchange: Exchange, name: string): string[] {
  if (name.toLowerCase() === "host" && exchange.hostport !== "") {
    return [exchange.hostport];
  }
  return getHeaders(exchange.requestHeaders, name).map(headerText);
}
