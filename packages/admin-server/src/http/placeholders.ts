import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Exchange } from "./exchange.ts";
import { headerBytes } from "./header-list.ts";
import { remoteAddress } from "./remote-address.ts";

/** A text with placeholders, ready to be filled in for each request. */
export type Template = (exchange: Exchange) => string;

type Reader = (exchange: Exchange) => string;

function hostPart(hostport: string): string {
  return hostport.replace(/:\d*$/, "");
}

function queryValue(exchange: Exchange, name: string): string {
  return new URLSearchParams(exchange.query).get(name) ?? "";
}

const fixed: Readonly<Record<string, Reader>> = {
  "http.request.host": (exchange) => hostPart(exchange.hostport),
  "http.request.hostport": (exchange) => exchange.hostport,
  "http.request.port": (exchange) => /:(\d+)$/.exec(exchange.hostport)?.[1] ?? "",
  "http.request.method": (exchange) => exchange.method,
  "http.request.scheme": (exchange) => exchange.scheme,
  "http.request.proto": (exchange) => `HTTP/${exchange.request.httpVersion}`,
  "http.request.uri": (exchange) => exchange.rawPath + exchange.query,
  "http.request.uri.path": (exchange) => exchange.path,
  "http.request.uri.query": (exchange) => exchange.query.slice(1),
  "http.request.uri.prefixed_query": (exchange) => (exchange.query === "?" ? "" : exchange.query),
  "http.request.remote": (exchange) => `${remoteAddress(exchange.socket)}:${exchange.socket.remotePort}`,
  "http.request.remote.host": (exchange) => remoteAddress(exchange.socket),
  "http.request.remote.port": (exchange) => String(exchange.socket.remotePort ?? ""),
  "http.request.local.host": (exchange) => exchange.socket.localAddress ?? "",
  "http.request.local.port": (exchange) => String(exchange.socket.localPort ?? ""),
  "http.request.uuid": (exchange) => {
    const uuid = exchange.vars.get("uuid") ?? randomUUID();
    exchange.vars.set("uuid", uuid);
    return uuid;
  },
  "system.hostname": () => hostname(),
  "system.os": () => process.platform,
  "system.arch": () => process.arch,
  "system.wd": () => process.cwd(),
  "system.slash": () => "/",
  "time.now": () => new Date().toISOString(),
  "time.now.http": () => new Date().toUTCString(),
  "time.now.unix": () => String(Math.floor(Date.now() / 1000)),
  "time.now.unix_ms": () => String(Date.now()),
  "time.now.year": () => String(new Date().getFullYear()),
};

const prefixed: readonly (readonly [prefix: string, make: (name: string) => Reader])[] = [
  ["http.request.header.", (name) => (exchange) => exchange.header(name)],
  ["http.request.uri.query.", (name) => (exchange) => queryValue(exchange, name)],
  ["http.vars.", (name) => (exchange) => exchange.vars.get(name) ?? ""],
  ["env.", (name) => () => process.env[name] ?? ""],
];

function readerOf(name: string): Reader | undefined {
  if (Object.hasOwn(fixed, name)) {
    return fixed[name];
  }
  const found = prefixed.find(([prefix]) => name.startsWith(prefix));
  return found?.[1](name.slice(found[0].length));
}

/** Whether a value is text, decoded or of ours; the others are bytes of the request as they came. */
function isDecoded(name: string): boolean {
  return (
    !name.startsWith("http.request.") ||
    name === "http.request.uri.path" ||
    name.startsWith("http.request.uri.query.")
  );
}

/** Text as part of a header value: no control character may stand there, so a blank takes its place. */
function headerPart(text: string): string {
  return headerBytes(text.replace(/(?!\t)\p{Cc}/gu, " "));
}

function compile(text: string, find: (name: string) => Reader | undefined): Template {
  const parts: (string | Reader)[] = [];
  let rest = 0;
  for (const match of text.matchAll(/\\([{}])|\{([^{}]+)\}/g)) {
    const [whole, escaped, name] = match;
    const value = escaped ?? find(name ?? "") ?? whole;
    parts.push(text.slice(rest, match.index), value);
    rest = match.index + whole.length;
  }
  parts.push(text.slice(rest));
  if (parts.every((part) => typeof part === "string")) {
    const fixedText = parts.join("");
    return () => fixedText;
  }
  return (exchange) => parts.map((part) => (typeof part === "string" ? part : part(exchange))).join("");
}

/**
 * Prepares a text. A known placeholder without a value becomes empty, an unknown one stays as it is; `\{` is a brace.
 * Source: the public model (Caddy 2.11)
 */
export function compileTemplate(text: string): Template {
  return compile(text, readerOf);
}

/**
 * As `compileTemplate`, for header values: text as its UTF-8 bytes, with blanks for control characters of values that
 * were decoded; what comes from the request undecoded stays as it came.
 */
export function compileHeaderTemplate(text: string): Template {
  return compile(headerBytes(text), (name) => {
    const reader = readerOf(name);
    return reader !== undefined && isDecoded(name) ? (exchange) => headerPart(reader(exchange)) : reader;
  });
}
