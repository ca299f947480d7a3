import type { Exchange } from "http-engine/exchange";
import { getHeader, getHeaders, type HeaderList, removeHeaders } from "http-engine/header-list";
import { remoteAddress, withoutZone } from "http-engine/remote-address";
import { connectionWords } from "http-protocols/http1/field-lines";

/** Header fields that apply to one connection only. Source: Caddy, RFC 9110 section 7.6.1 */
const hopByHop = new Set([
  // Alternative addresses of the upstream are not valid for this server.
  "alt-svc",
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

/**
 * This proxy replaces these fields, so that clients cannot forge them. `expect` is forwarded if the options allow it.
 */
const replaced = new Set([
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "forwarded",
  "expect",
  "via",
  "content-length",
]);

/** Hop-by-hop fields that are kept from clients; clients still get `Trailer`, because it announces trailers. */
const keptFromClients = new Set([...hopByHop].filter((name) => name !== "trailer"));

/** Request fields that are not copied; some of them are added again with new values. */
const leftOut = new Set([...hopByHop, ...replaced, "host"]);

/** Lengths of the names in `leftOut`. The length check avoids converting most names to lower case. */
const leftOutLengths = new Set([...leftOut].map((name) => name.length));
/** Lengths of `keptFromClients`: a fast first check, like `leftOutLengths` for requests. */
const keptFromClientsLengths = new Set([...keptFromClients].map((name) => name.length));

/**
 * Fields that concern framing, routing or content. In trailers they are meaningless or harmful, because the body has
 * ended.
 */
const notInTrailers = new Set([
  ...hopByHop,
  "content-length",
  "content-encoding",
  "content-type",
  "content-range",
  "host",
  "expect",
  "via",
]);

/** Selects the trailers that are sent to the next hop. Source: RFC 9110, section 6.5.1 */
export function forwardedTrailers(trailers: readonly string[]): HeaderList {
  return trailers.filter(
    (_, index) => !notInTrailers.has((trailers[index - (index % 2)] as string).toLowerCase()),
  );
}

/** Names that `Connection` lists, in lower case; undefined when it lists none. */
function connectionListed(headers: readonly string[]): Set<string> | undefined {
  let listed: Set<string> | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === 10 && name.toLowerCase() === "connection") {
      for (const word of connectionWords(headers[index + 1] ?? "")) {
        if (word !== "keep-alive" && word !== "close" && word !== "") {
          listed ??= new Set();
          listed.add(word);
        }
      }
    }
  }
  return listed;
}

/** Appends this server to `Via`: `1.1 first, 2.0 server`. Source: RFC 9110, section 7.6.3 */
function via(headers: readonly string[], version: string, product: string): string {
  const before = getHeaders(headers, "via");
  return before.length === 0 ? `${version} ${product}` : `${before.join(", ")}, ${version} ${product}`;
}

/**
 * Sets the forwarded-for fields, for an untrusted client or for a trusted proxy.
 * | | Not trusted | Trusted |
 * |---|---|---|
 * | `X-Forwarded-For` | the client's address | the received values, then the address of the proxy in front |
 * | `X-Forwarded-Proto`, `-Host` | from this request | the last received value; without one, from this request |
 */
function pushForwarded(result: HeaderList, exchange: Exchange, trusted: boolean): void {
  const headers = exchange.requestHeaders;
  const client = withoutZone(remoteAddress(exchange.socket));
  const before = trusted ? getHeaders(headers, "x-forwarded-for").join(", ") : "";
  if (client !== "" || before !== "") {
    result.push("X-Forwarded-For", before === "" ? client : client === "" ? before : `${before}, ${client}`);
  } else if (!trusted) {
    return; // over a unix socket, the client's address is unknown
  }
  const proto = trusted ? (getHeaders(headers, "x-forwarded-proto").at(-1) ?? "") : "";
  const host = trusted ? (getHeaders(headers, "x-forwarded-host").at(-1) ?? "") : "";
  result.push("X-Forwarded-Proto", proto === "" ? exchange.scheme : proto);
  result.push("X-Forwarded-Host", host === "" ? exchange.hostport : host);
}

/** Options for the fields of an upstream request. */
export interface RequestHeaderOptions {
  /** The requested protocol; "" for an ordinary request. */
  readonly upgrade: string;
  /** True when the peer is a proxy whose `X-Forwarded-*` fields count. */
  readonly trusted: boolean;
  /** True when `Expect` is forwarded, because signatures of requests may cover the field. */
  readonly expectContinue: boolean;
  /** True when the request has a body, and so may have trailers. */
  readonly hasBody: boolean;
  /** `Host` for the upstream. */
  readonly host: string;
}

/** The fields that are sent to an upstream, without body framing fields. */
export function upstreamRequestHeaders(exchange: Exchange, options: RequestHeaderOptions): HeaderList {
  const headers = exchange.requestHeaders;
  const { upgrade, trusted } = options;
  const listed = connectionListed(headers);
  const result: HeaderList = ["Host", options.host];
  let te = "";
  let trailer = "";
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (listed === undefined && !leftOutLengths.has(name.length)) {
      result.push(name, headers[index + 1] as string);
      continue;
    }
    const lower = name.toLowerCase();
    if (!leftOut.has(lower) && listed?.has(lower) !== true) {
      result.push(name, headers[index + 1] as string);
    } else if (lower === "te") {
      te += `,${headers[index + 1]}`;
    } else if (lower === "trailer") {
      trailer += trailer === "" ? headers[index + 1] : `, ${headers[index + 1]}`;
    } else if ((lower === "expect" && options.expectContinue) || (lower === "forwarded" && trusted)) {
      result.push(name, headers[index + 1] as string);
    }
  }
  if (te !== "" && /(?:^|[,\s])trailers(?:$|[,;\s])/i.test(te)) {
    result.push("TE", "trailers");
  }
  if (trailer !== "" && options.hasBody) {
    result.push("Trailer", trailer);
  }
  pushForwarded(result, exchange, trusted);
  result.push("Via", via(headers, exchange.stream.version, exchange.server.product));
  if (upgrade !== "") {
    result.push("Connection", "Upgrade", "Upgrade", upgrade);
  }
  return result;
}

/**
 * Removes the fields of a response that concern only the connection to the upstream. Changes the list in place.
 * @returns the same list
 */
export function keepEndToEnd(fields: HeaderList): HeaderList {
  const listed = connectionListed(fields);
  let kept = 0;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] as string;
    if (listed !== undefined || keptFromClientsLengths.has(name.length)) {
      const lower = name.toLowerCase();
      if (keptFromClients.has(lower) || listed?.has(lower) === true) {
        continue;
      }
    }
    if (kept !== index) {
      fields[kept] = name;
      fields[kept + 1] = fields[index + 1] as string;
    }
    kept += 2;
  }
  fields.length = kept;
  return fields;
}

/** @returns index of the first field with exactly this name; -1 without one. Values do not count. */
function nameIndex(fields: readonly string[], name: string): number {
  let index = fields.indexOf(name);
  while (index >= 0 && index % 2 === 1) {
    index = fields.indexOf(name, index + 1);
  }
  return index;
}

/**
 * Adds the upstream's fields to the response. This server's own `Server` field is removed, and `Via` names this proxy.
 * Other fields that handlers have set before stay, except `Content-Length` and `Transfer-Encoding`.
 * @param from end-to-end fields only
 * @param version HTTP version of the upstream's response
 * @returns index of the first added field in the list of the exchange
 */
export function copyResponseHeaders(from: readonly string[], exchange: Exchange, version: string): number {
  const target = exchange.responseHeaders;
  const ownServer = nameIndex(target, "Server");
  if (ownServer >= 0) {
    target.splice(ownServer, 2);
  }
  if (target.length > 0) {
    // Length and transfer coding come from the upstream only: if there were two lengths, two readers could each choose
    // a different one.
    removeHeaders(target, (name) => name === "content-length" || name === "transfer-encoding");
  }
  const begin = target.length;
  const { product } = exchange.server;
  let via = "";
  for (let index = 0; index < from.length; index += 2) {
    const name = from[index] as string;
    const value = from[index + 1] as string;
    if (name.length === 3 && name.toLowerCase() === "via") {
      via += `${value}, `;
    } else {
      target.push(name, value);
    }
  }
  target.push("Via", `${via}${version} ${product}`);
  return begin;
}

/**
 * Removes the upstream's fields from the response, because the upstream failed before the client saw the fields. The
 * error page has its own fields. Fields that handlers have set stay.
 * @param from the list passed to {@link copyResponseHeaders}
 */
export function dropResponseHeaders(from: readonly string[], exchange: Exchange): void {
  const target = exchange.responseHeaders;
  const { product } = exchange.server;
  for (let index = target.length - 2; index >= 0; index -= 2) {
    const name = target[index] as string;
    const value = target[index + 1] as string;
    const isOwnVia = name === "Via" && value.endsWith(` ${product}`);
    if (isOwnVia || from.some((each, at) => at % 2 === 0 && each === name && from[at + 1] === value)) {
      target.splice(index, 2);
    }
  }
  if (getHeader(target, "server") === undefined) {
    target.push("Server", product);
  }
}

/**
 * Adds the fields of an upstream's 101 to the response. Existing fields are kept, and no `Via` is added: the following
 * bytes are not HTTP.
 * Source: Caddy 2.11
 */
export function addSwitchHeaders(from: readonly string[], target: HeaderList): void {
  const hasServer = getHeader(from, "server") !== undefined;
  removeHeaders(
    target,
    (name) => name === "content-length" || name === "transfer-encoding" || (hasServer && name === "server"),
  );
  target.push(...from);
}
