import { randomUUID } from "node:crypto";
import { tryHostPort } from "../core/go/host-port.ts";
import { machineReader } from "../core/placeholders/machine-placeholders.ts";
import { parseQuery } from "../core/uri/query-parameters.ts";
import type { Exchange } from "./exchange.ts";
import { headerBytes } from "./header-list.ts";
import { addressText, localAddress, remoteAddress } from "./remote-address.ts";
import { decodedNames, requestPlaceholders, requestPrefixes } from "./request-placeholders.ts";
import { tlsPlaceholder } from "./tls-placeholders.ts";

/** A text with placeholders, ready to be filled in for each request. */
export type Template = (exchange: Exchange) => string;

/** Readers that are kept ready for names of run time. */
const maxKnownReaders = 1000;

type Reader = (exchange: Exchange) => string;

/** Text, or what makes it when it is asked for the first time. */
type PlaceholderValue = string | (() => string);

/** What matchers and handlers found for a request: captures, files, users. Most requests have none. */
const foundFor = new WeakMap<Exchange, Map<string, PlaceholderValue>>();

/** Gives `{name}` a value for the rest of the request. */
export function setPlaceholder(exchange: Exchange, name: string, value: PlaceholderValue): void {
  let found = foundFor.get(exchange);
  if (found === undefined) {
    found = new Map();
    foundFor.set(exchange, found);
  }
  found.set(name, value);
}

function foundValue(exchange: Exchange, name: string): string | undefined {
  const found = foundFor.get(exchange);
  const value = found?.get(name);
  if (typeof value !== "function") {
    return value;
  }
  const text = value();
  found?.set(name, text);
  return text;
}

/** Names under which only {@link setPlaceholder} puts values: without one they are empty. */
const foundPrefixes = [
  "http.regexp.",
  "http.matchers.file.",
  "http.url_pattern.",
  "http.auth.",
  "http.intercept.",
];

/** Names of fields, whose case does not count: set in lower case. */
const interceptedField = "http.intercept.header.";

/** `Host` without its port. As in the model, only an address with a port loses its brackets: `[::1]` keeps them. */
function hostPart(hostport: string): string {
  const parts = tryHostPort(hostport);
  return typeof parts === "string" ? hostport : parts.host;
}

function portPart(hostport: string): string {
  const parts = tryHostPort(hostport);
  return typeof parts === "string" ? "" : parts.port.replace(/^0+(?=\d+$)/, "");
}

function queryValue(exchange: Exchange, name: string): string {
  return parseQuery(exchange.query).parameters.get(name)?.join(",") ?? "";
}

const fixed: Readonly<Record<string, Reader>> = {
  "http.request.host": (exchange) => hostPart(exchange.hostport),
  "http.request.hostport": (exchange) => exchange.hostport,
  "http.request.port": (exchange) => portPart(exchange.hostport),
  "http.request.method": (exchange) => exchange.method,
  "http.request.scheme": (exchange) => exchange.scheme,
  "http.request.proto": (exchange) => exchange.protocol,
  "http.request.uri": (exchange) => exchange.target,
  "http.request.uri.path": (exchange) => exchange.path,
  "http.request.uri.query": (exchange) => exchange.query.slice(1),
  "http.request.uri.prefixed_query": (exchange) => (exchange.query === "?" ? "" : exchange.query),
  "http.request.remote": ({ socket }) => addressText(remoteAddress(socket), socket.remotePort),
  "http.request.remote.host": (exchange) => remoteAddress(exchange.socket),
  "http.request.remote.port": (exchange) => String(exchange.socket.remotePort ?? ""),
  "http.request.local.host": (exchange) => localAddress(exchange.socket),
  "http.request.local.port": (exchange) => String(exchange.socket.localPort ?? ""),
  "http.request.uuid": (exchange) => {
    const uuid = String(exchange.vars.get("uuid") ?? randomUUID());
    exchange.vars.set("uuid", uuid);
    return uuid;
  },
  ...requestPlaceholders,
  "http.error": (exchange) => exchange.error?.message ?? "",
  "http.error.message": (exchange) => exchange.error?.message ?? "",
  "http.error.status_code": (exchange) => String(exchange.error?.status ?? ""),
  "http.error.status_text": (exchange) => exchange.error?.statusText ?? "",
  "http.error.id": (exchange) => exchange.error?.id ?? "",
  "http.error.trace": (exchange) => exchange.error?.stack?.split("\n")[1]?.trim() ?? "",
};

const prefixed: readonly (readonly [prefix: string, make: (name: string) => Reader])[] = [
  ["http.request.header.", (name) => (exchange) => exchange.header(name)],
  ["http.request.uri.query.", (name) => (exchange) => queryValue(exchange, name)],
  ...requestPrefixes,
  ["http.reverse_proxy.", (name) => (exchange) => exchange.proxied?.placeholder(name) ?? ""],
  ["http.vars.", (name) => (exchange) => exchange.varText(name)],
];

function readerOf(name: string): Reader | undefined {
  if (Object.hasOwn(fixed, name)) {
    return fixed[name];
  }
  const ofMachine = machineReader(name);
  if (ofMachine !== undefined) {
    return ofMachine;
  }
  if (name.startsWith("http.request.tls.")) {
    return tlsPlaceholder(name.slice("http.request.tls.".length));
  }
  const found = prefixed.find(([prefix]) => name.startsWith(prefix));
  if (found !== undefined) {
    return found[1](name.slice(found[0].length));
  }
  if (foundPrefixes.some((prefix) => name.startsWith(prefix))) {
    const known = name.startsWith(interceptedField) ? name.toLowerCase() : name;
    return (exchange) => foundValue(exchange, known) ?? "";
  }
  // A handler may give any name a value.
  return /^[\w.-]+$/.test(name) ? (exchange) => foundValue(exchange, name) ?? `{${name}}` : undefined;
}

/** Whether a value is text, decoded or of ours; the others are bytes of the request as they came. */
function isDecoded(name: string): boolean {
  return !name.startsWith("http.request.") || decodedNames.test(name);
}

/** Text as part of a header value: no control character may stand there, so a blank takes its place. */
function headerPart(text: string): string {
  return headerBytes(text.replace(/(?!\t)\p{Cc}/gu, " "));
}

function compile(text: string, find: (name: string) => Reader | undefined): Template {
  if (!text.includes("{") && !text.includes("}")) {
    return () => text;
  }
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

/** Whether a template gives every request the same text. */
export function isFixed(template: Template): boolean {
  return template.length === 0;
}

const readers = new Map<string, Reader | undefined>();

/** The value of one placeholder whose name is known at run time only; undefined for an unknown one. */
export function readPlaceholder(exchange: Exchange, name: string): string | undefined {
  if (!readers.has(name)) {
    if (readers.size >= maxKnownReaders) {
      readers.clear();
    }
    readers.set(name, readerOf(name));
  }
  const value = readers.get(name)?.(exchange);
  return value === `{${name}}` ? undefined : value;
}

/** As `compileTemplate`; values pass through `change` before they take their place. */
export function compileMappedTemplate(
  text: string,
  change: (value: string, name: string, exchange: Exchange) => string,
): Template {
  return compile(text, (name) => {
    const reader = readerOf(name);
    return reader === undefined ? undefined : (exchange) => change(reader(exchange), name, exchange);
  });
}

function compileEncoded(text: string, encode: (text: string) => string): Template {
  return compile(headerBytes(text), (name) => {
    const reader = readerOf(name);
    return reader !== undefined && isDecoded(name) ? (exchange) => encode(reader(exchange)) : reader;
  });
}

/**
 * As `compileTemplate` for names of files and folders: an unknown placeholder has the empty value. Values pass through
 * `change`, empty ones too.
 */
export function compileFileTemplate(text: string, change = (value: string): string => value): Template {
  return compile(text, (name) => {
    const reader = readerOf(name) ?? (() => "");
    const unknown = `{${name}}`;
    return (exchange) => {
      const value = reader(exchange);
      return change(value === unknown ? "" : value);
    };
  });
}

/**
 * As `compileTemplate`, for header values: text as its UTF-8 bytes, with blanks for control characters of values that
 * were decoded; what comes from the request undecoded stays as it came.
 */
export function compileHeaderTemplate(text: string): Template {
  return compileEncoded(text, headerPart);
}

/** As `compileTemplate`, for protocols that take bytes of any value: text as its UTF-8 bytes. */
export function compileBytesTemplate(text: string): Template {
  return compileEncoded(text, headerBytes);
}
