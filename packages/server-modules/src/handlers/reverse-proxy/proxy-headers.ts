import type { Exchange } from "http-engine/exchange";
import { getHeader, getHeaders, type HeaderList, removeHeaders } from "http-engine/header-list";
import { remoteAddress, withoutZone } from "http-engine/remote-address";
import { connectionWords } from "http-protocols/http1/field-lines";

/** Header fields that apply to one connection only. Source: the public model, RFC 9110 section 7.6.1 */
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

/** Replaced by this proxy, so that clients cannot forge them. `expect` is forwarded if the options allow it. */
const replaced = new Set([
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "forwarded",
  "expect",
  "via",
  "content-length",
]);

/** Hop-by-hop fields that clients still get, because they announce trailers. */
const keptFromClients = new Set([...hopByHop].filter((name) => name !== "trailer"));

/** Request fields that are removed; some are added again with other values. */
const leftOut = new Set([...hopByHop, ...replaced, "host"]);

/** Lengths of the names: most fields are let through without making their name lower case. */
const leftOutLengths = new Set([...leftOut].map((name) => name.length));
/** Lengths of `keptFromClients`: a fast first check, like `leftOutLengths` for requests. */
const keptFromClientsLengths = new Set([...keptFromClients].map((name) => name.length));

/** Fields that say how a message is framed, routed or read: they mean nothing, or harm, after its body. */
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

/** Trailers as they are handed on. Source: RFC 9110, section 6.5.1 */
export function forwardedTrailers(trailers: readonly string[]): HeaderList {
  return trailers.filter(
    (_, index) => !notInTrailers.has((trailers[index - (index % 2)] as string).toLowerCase()),
  );
}

/** Names that `Connection` lists, lower case; undefined for none. */
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

/** Adds this server to the fields of proxies before it: `1.1 first, 2.0 server`. Source: RFC 9110, section 7.6.3 */
function via(headers: readonly string[], version: string, product: string): string {
  const before = getHeaders(headers, "via");
  return before.length === 0 ? `${version} ${product}` : `${before.join(", ")}, ${version} ${product}`;
}

/**
 * Forwarded-for fields, for a client that is not trusted to send any, or for a proxy that is.
 * | | Not trusted | Trusted |
 * |---|---|---|
 * | `X-Forwarded-For` | the client's address | the fields received, then the address of the proxy in front |
 * | `X-Forwarded-Proto`, `-Host` | of this request | the last field received, else of this request |
 */
function pushForwarded(result: HeaderList, exchange: Exchange, trusted: boolean): void {
  const headers = exchange.requestHeaders;
  const client = withoutZone(remoteAddress(exchange.socket));
  const before = trusted ? getHeaders(headers, "x-forwarded-for").join(", ") : "";
  if (client !== "" || before !== "") {
    result.push("X-Forwarded-For", before === "" ? client : client === "" ? before : `${before}, ${client}`);
  } else if (!trusted) {
    return; // over a unix socket, from nobody who is known
  }
  const proto = trusted ? (getHeaders(headers, "x-forwarded-proto").at(-1) ?? "") : "";
  const host = trusted ? (getHeaders(headers, "x-forwarded-host").at(-1) ?? "") : "";
  result.push("X-Forwarded-Proto", proto === "" ? exchange.scheme : proto);
  result.push("X-Forwarded-Host", host === "" ? exchange.hostport : host);
}

/** How the fields for an upstream are made. */
export interface RequestHeaderOptions {
  /** The protocol asked for; "" for an ordinary request. */
  readonly upgrade: string;
  /** Whether who is connected is a proxy whose `X-Forwarded-*` counts. */
  readonly trusted: boolean;
  /** Whether `Expect` goes on: signatures of requests may cover the field. */
  readonly expectContinue: boolean;
  /** Whether a body goes along, and so trailers may. */
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

/** Takes out of a response what concerned the connection to the upstream only, in place. @returns the same list */
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

/**
 * Replaces our response fields by those of the upstream: its `Server` stays, and `Via` names this proxy.
 * Fields that handlers set before stay.
 * @param from end to end fields only
 * @param version that the upstream answered with
 * @returns where they begin in the list of the exchange
 */
export function copyResponseHeaders(from: readonly string[], exchange: Exchange, version: string): number {
  const target = exchange.responseHeaders;
  const ownServer = target.indexOf("Server");
  if (ownServer >= 0 && ownServer % 2 === 0) {
    target.splice(ownServer, 2);
  }
  if (target.length > 0) {
    // The length and the coding of a transfer are the upstream's: of two lengths, two readers may take one each.
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
 * Removes the upstream's fields from our answer. The upstream failed before the client saw them, and the
 * page of the error has fields of its own. Fields that handlers set stay.
 * @param from as given to {@link copyResponseHeaders}
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
 * Adds the fields of an upstream's 101 to ours. Ours may stay, and no `Via` is added: what follows is not HTTP.
 * Source: the public model (Caddy 2.11)
 */
export function addSwitchHeaders(from: readonly string[], target: HeaderList): void {
  const hasServer = getHeader(from, "server") !== undefined;
  removeHeaders(
    target,
    (name) => name === "content-length" || name === "transfer-encoding" || (hasServer && name === "server"),
  );
  target.push(...from);
}
