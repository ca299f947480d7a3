import { isIP } from "node:net";
import { formatGoDuration } from "server-core/go/go-duration";
import { canonicalIpv6 } from "server-core/go/ip-address";
import { escapeQuery } from "server-core/uri/percent-encoding";
import type { RequestTarget } from "server-core/uri/request-target";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import type { Exchange } from "./exchange.ts";
import { getHeaders, joinedHeader } from "./header-list.ts";
import { addressText, localAddress } from "./remote-address.ts";

type Reader = (exchange: Exchange) => string | undefined;

/** The index of a list element; other texts are not placeholders. */
const isIndex = /^\d+$/;

/** One segment of a path, by its index; `/a/b/` has the segments `a`, `b` and "". */
function segments(index: string, pathOf: (exchange: Exchange) => string): Reader | undefined {
  if (!isIndex.test(index)) {
    return undefined;
  }
  const position = Number(index) + 1;
  return (exchange) => pathOf(exchange).split("/")[position] ?? "";
}

function directory(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) || "/";
}

function file(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function extension(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot);
}

/** The last element of a path, without its extension; slashes at the end are ignored, and `/` returns `/`. */
function baseName(path: string): string {
  const name = file(path.replace(/\/+$/, "")) || "/";
  const ending = extension(file(path));
  return name.slice(0, name.length - ending.length);
}

/** The first cookie with that name, in any case; "" for an invalid cookie. Source: Go's `Request.Cookies` */
function cookie(exchange: Exchange, name: string): string {
  const wanted = name.toLowerCase();
  for (const part of getHeaders(exchange.requestHeaders, "cookie").join(";").split(";")) {
    const cut = part.indexOf("=");
    if (cut > 0 && part.slice(0, cut).trim().toLowerCase() === wanted) {
      const value = part.slice(cut + 1).trim();
      const bare = /^".*"$/.test(value) ? value.slice(1, -1) : value;
      if (!/["\\;]|[^ -~]/.test(bare)) {
        return bare;
      }
    }
  }
  return "";
}

function durationMs(exchange: Exchange): number {
  return performance.now() - exchange.startedAt;
}

/** Keeps the first `bits` bits of numbers with `width` bits each, and clears the others. */
function masked(numbers: readonly number[], width: number, bits: number): number[] {
  return numbers.map((number, index) => {
    const rest = 2 ** (width - Math.min(width, Math.max(0, bits - index * width)));
    return Math.floor(number / rest) * rest;
  });
}

function isPrefix(text: string, most: number): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= most;
}

function ipv6Groups(address: string): number[] {
  const [head = "", tail] = canonicalIpv6(address).split("::");
  const numbers = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [numbers(head), numbers(tail ?? "")];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/**
 * The network of an address. @param prefixes bits for IPv4 and IPv6, `24,64`, or the same number for both
 * @returns "" for impossible numbers of bits; a text that is not an address stays unchanged. Source: Caddy 2.11
 */
function network(address: string, prefixes: string): string {
  const [ofV4 = "", ofV6 = ofV4] = prefixes.split(",", 2);
  const plain = address.replace(/%.*$/, "");
  switch (isIP(plain)) {
    case 4:
      return isPrefix(ofV4, 32)
        ? `${masked(plain.split(".").map(Number), 8, Number(ofV4)).join(".")}/${Number(ofV4)}`
        : "";
    case 6: {
      const groups = () => masked(ipv6Groups(plain), 16, Number(ofV6)).map((group) => group.toString(16));
      return isPrefix(ofV6, 128) ? `${canonicalIpv6(groups().join(":"))}/${Number(ofV6)}` : "";
    }
    default:
      return address;
  }
}

const original = (exchange: Exchange): RequestTarget => exchange.original.target;

/** Placeholders without an argument. Source: Caddy 2.11 */
export const requestPlaceholders: Readonly<Record<string, Reader>> = {
  "http.request.body": (exchange) =>
    exchange.bufferedBody === undefined ? "" : textOfBuffer(exchange.bufferedBody),
  "http.request.body_base64": (exchange) => exchange.bufferedBody?.toString("base64") ?? "",
  "http.request.duration": (exchange) => formatGoDuration(durationMs(exchange)),
  "http.request.duration_ms": (exchange) => durationMs(exchange).toFixed(3),
  "http.request.local": ({ socket }) => addressText(localAddress(socket), socket.localPort),
  "http.request.orig_method": (exchange) => exchange.original.method,
  "http.request.orig_uri": (exchange) => original(exchange).text,
  "http.request.orig_uri.path": (exchange) => original(exchange).path,
  "http.request.orig_uri.path.dir": (exchange) => directory(original(exchange).path),
  "http.request.orig_uri.path.file": (exchange) => file(original(exchange).path),
  // The segment is taken from the escaped path, so an encoded slash does not separate segments.
  "http.request.orig_uri.path.file_escaped": (exchange) => file(original(exchange).rawPath),
  "http.request.orig_uri.query": (exchange) => original(exchange).query.slice(1),
  "http.request.orig_uri.prefixed_query": (exchange) =>
    original(exchange).query === "?" ? "" : original(exchange).query,
  "http.request.proto_name": (exchange) => exchange.protocol.replace(/\/([23])\.0$/, "/$1"),
  "http.request.uri_escaped": (exchange) => escapeQuery(exchange.target),
  "http.request.uri.path_escaped": (exchange) => escapeQuery(exchange.path),
  "http.request.uri.path.dir": (exchange) => directory(exchange.path),
  "http.request.uri.path.file": (exchange) => file(exchange.path),
  "http.request.uri.path.file.base": (exchange) => baseName(exchange.path),
  "http.request.uri.path.file.ext": (exchange) => extension(file(exchange.path)),
  "http.request.uri.query_escaped": (exchange) => escapeQuery(exchange.query.slice(1)),
  "http.vars.client_ip": (exchange) => exchange.varText("client_ip") || exchange.clientAddress,
  "http.shutting_down": ({ server }) => String(server.shutdownAt !== undefined),
  "http.time_until_shutdown": ({ server: { shutdownAt } }) =>
    shutdownAt === undefined ? "" : `${Math.max(0, shutdownAt - Date.now()) / 1000}s`,
  "http.response.status": (exchange) => (exchange.status === 0 ? undefined : String(exchange.status)),
};

/** Placeholders by their beginning; the rest of the name is the argument. */
export const requestPrefixes: readonly (readonly [
  prefix: string,
  make: (name: string) => Reader | undefined,
])[] = [
  ["http.request.cookie.", (name) => (exchange) => cookie(exchange, name)],
  [
    "http.request.host.labels.",
    (index) =>
      isIndex.test(index) ? (exchange) => exchange.host.split(".").at(-1 - Number(index)) ?? "" : undefined,
  ],
  ["http.request.orig_uri.path.", (index) => segments(index, (exchange) => original(exchange).path)],
  ["http.request.uri.path.", (index) => segments(index, (exchange) => exchange.path)],
  ["http.request.remote.host/", (bits) => (exchange) => network(exchange.remoteAddress, bits)],
  ["http.response.header.", (name) => (exchange) => joinedHeader(exchange.responseHeaders, name)],
];
