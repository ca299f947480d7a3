import type { Exchange } from "../../../http/exchange.ts";
import { getHeaders, type HeaderList } from "../../../http/header-list.ts";
import { remoteAddress } from "../../../http/remote-address.ts";

/** Fields that concern one connection only. Source: the public model, RFC 9110 section 7.6.1 */
const hopByHop = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Set anew by this proxy, so that nobody in front can pretend. `expect` was answered by this server already. */
const replaced = new Set([
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "forwarded",
  "expect",
  "via",
]);

/** Names that `Connection` lists, lower case. */
function connectionListed(headers: readonly string[]): Set<string> {
  const listed = getHeaders(headers, "connection").flatMap((value) => value.toLowerCase().split(","));
  return new Set(listed.map((name) => name.trim()));
}

function via(headers: readonly string[], version: string, product: string): string {
  return [...getHeaders(headers, "via"), `${version} ${product}`].join(", ");
}

/**
 * The fields that go to an upstream.
 * @param upgrade the protocol asked for; "" for an ordinary request
 */
export function upstreamRequestHeaders(exchange: Exchange, upgrade: string): HeaderList {
  const headers = exchange.requestHeaders;
  const listed = connectionListed(headers);
  const result: HeaderList = ["Host", exchange.hostport];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const lower = name.toLowerCase();
    if (lower !== "host" && !hopByHop.has(lower) && !replaced.has(lower) && !listed.has(lower)) {
      result.push(name, headers[index + 1] ?? "");
    }
  }
  if (/(?:^|[,\s])trailers(?:$|[,;\s])/i.test(getHeaders(headers, "te").join(","))) {
    result.push("TE", "trailers");
  }
  const client = remoteAddress(exchange.socket);
  if (client !== "") {
    result.push("X-Forwarded-For", client);
  }
  result.push("X-Forwarded-Proto", exchange.scheme, "X-Forwarded-Host", exchange.hostport);
  result.push("Via", via(headers, exchange.stream.version, exchange.server.product));
  if (upgrade !== "") {
    result.push("Connection", "Upgrade", "Upgrade", upgrade);
  }
  return result;
}

/**
 * Puts the fields of an upstream's response in place of ours: its `Server` stands, hop-by-hop fields go, `Via` tells
 * of this proxy. What handlers had set before stays.
 */
export function copyResponseHeaders(from: readonly string[], exchange: Exchange): void {
  const target = exchange.responseHeaders;
  const ownServer = target.indexOf("Server");
  if (ownServer >= 0 && ownServer % 2 === 0) {
    target.splice(ownServer, 2);
  }
  const listed = connectionListed(from);
  for (let index = 0; index < from.length; index += 2) {
    const name = from[index] ?? "";
    const lower = name.toLowerCase();
    if (lower !== "via" && !hopByHop.has(lower) && !listed.has(lower)) {
      target.push(name, from[index + 1] ?? "");
    }
  }
  target.push("Via", via(from, "1.1", exchange.server.product));
}
