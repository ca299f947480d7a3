import { randomUUID } from "node:crypto";
import { trimBlanks } from "http-protocols/http1/field-lines";
import { tryHostPort } from "server-core/go/host-port";
import { machineReader } from "server-core/placeholders/machine-placeholders";
import { scanPlaceholders } from "server-core/placeholders/scan-placeholders";
import { parseQuery } from "server-core/uri/query-parameters";
import type { Exchange } from "./exchange.ts";
import { addLogField } from "./extra-fields.ts";
import { headerBytes, joinedHeader } from "./header-list.ts";
import { addressText, localAddress, remoteAddress } from "./remote-address.ts";
import { requestPlaceholders, requestPrefixes } from "./request-placeholders.ts";
import { tlsPlaceholder } from "./tls-placeholders.ts";

/** A text with placeholders, ready to be filled in for each request. */
export type Template = (exchange: Exchange) => string;

/** Maximum number of cached readers for names that are known only at run time. */
const maxKnownReaders = 1000;

/** Returns a placeholder's value; undefined for an unknown name, or when the request has no value for it. */
type Reader = (exchange: Exchange) => string | undefined;

/** A text, or a function that makes it on first use. */
type PlaceholderValue = string | (() => string);

/** Values that matchers and handlers set for a request: captures, files, users. Most requests have no such values. */
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

/** Prefixes of names whose values only {@link setPlaceholder} sets. */
const foundPrefixes = [
  "http.regexp.",
  "http.matchers.file.",
  "http.url_pattern.",
  "http.auth.",
  "http.intercept.",
];

/** Prefix of placeholders for response fields. Field names ignore case, so these placeholders are set in lower case. */
const interceptedField = "http.intercept.header.";

/** `Host` without its port. As in Caddy, only an address with a port loses its brackets: `[::1]` keeps them. */
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
    addLogField(exchange, "uuid", uuid);
    return uuid;
  },
  ...requestPlaceholders,
  "http.error": (exchange) => exchange.error?.message,
  "http.error.message": (exchange) => exchange.error?.message,
  "http.error.status_code": ({ error }) => (error === undefined ? undefined : String(error.status)),
  "http.error.status_text": (exchange) => exchange.error?.statusText,
  "http.error.id": (exchange) => exchange.error?.id,
  "http.error.trace": ({ error }) => error && (error.stack?.split("\n")[1]?.trim() ?? ""),
};

const prefixed: typeof requestPrefixes = [
  [
    "http.request.header.",
    (name) =>
      // Caddy does not treat `Host` as a field: its placeholders are `{http.request.host}` and
      // `{http.request.hostport}`.
      name.toLowerCase() === "host" ? () => "" : (exchange) => joinedHeader(exchange.requestHeaders, name),
  ],
  ["http.request.uri.query.", (name) => (exchange) => queryValue(exchange, name)],
  ...requestPrefixes,
  ["http.reverse_proxy.", (name) => (exchange) => exchange.proxied?.placeholder(name)],
  ["http.vars.", (name) => (exchange) => exchange.varText(name)],
];

/** The reader of a name whose values come from the server itself. */
function ownReaderOf(name: string): Reader | undefined {
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
    return (exchange) => foundValue(exchange, known);
  }
  return undefined;
}

/**
 * True when the server itself sets a value for a placeholder with that name; handlers may set values for other names.
 */
export function knowsPlaceholder(name: string): boolean {
  return ownReaderOf(name) !== undefined;
}

/** Like {@link ownReaderOf}, but also for names whose values handlers set. */
function readerOf(name: string): Reader | undefined {
  return ownReaderOf(name) ?? (/^[\w.-]+$/.test(name) ? (exchange) => foundValue(exchange, name) : undefined);
}

/** Text for a part of a header value: control characters are not allowed, so they become spaces. */
function headerPart(text: string): string {
  return headerBytes(text.replace(/(?!\t)\p{Cc}/gu, " "));
}

/**
 * @param isEmptied true: an unknown placeholder becomes empty; false: it stays unchanged
 * @param find finds the reader of a name; undefined for an unknown name
 */
function compile(text: string, isEmptied: boolean, find: (name: string) => Reader | undefined): Template {
  if (!text.includes("{") && !text.includes("}")) {
    return () => text;
  }
  const parts = scanPlaceholders(text, (name) => isEmptied || find(name) !== undefined).map((part) => {
    if (typeof part === "string") {
      return part;
    }
    const reader = find(part.name);
    const unknown = isEmptied ? "" : `{${part.name}}`;
    return reader === undefined ? unknown : (exchange: Exchange) => reader(exchange) ?? unknown;
  });
  if (parts.every((part) => typeof part === "string")) {
    const fixedText = parts.join("");
    return () => fixedText;
  }
  return (exchange) => parts.map((part) => (typeof part === "string" ? part : part(exchange))).join("");
}

/**
 * Prepares a text. Placeholders that are unknown, or have no value for a request, become empty; `\{` is a brace.
 * Source: Caddy 2.11, `ReplaceAll`
 */
export function compileTemplate(text: string): Template {
  return compile(text, true, readerOf);
}

/**
 * Like {@link compileTemplate}, for texts that may contain literal braces, such as bodies: an unknown placeholder stays
 * unchanged. Source: Caddy 2.11, `ReplaceKnown`
 */
export function compileBodyTemplate(text: string): Template {
  return compile(text, false, readerOf);
}

/** True when a template gives the same text for every request. */
export function isFixed(template: Template): boolean {
  return template.length === 0;
}

const readers = new Map<string, Reader | undefined>();

/** The value of a placeholder whose name is known only at run time; undefined for an unknown name. */
export function readPlaceholder(exchange: Exchange, name: string): string | undefined {
  if (!readers.has(name)) {
    if (readers.size >= maxKnownReaders) {
      readers.clear();
    }
    readers.set(name, readerOf(name));
  }
  return readers.get(name)?.(exchange);
}

/** Like `compileTemplate`, but `change` converts each value first. */
export function compileMappedTemplate(
  text: string,
  change: (value: string, name: string, exchange: Exchange) => string,
): Template {
  return compile(text, true, (name) => {
    const reader = readerOf(name) ?? (() => "");
    return (exchange) => change(reader(exchange) ?? "", name, exchange);
  });
}

function compileEncoded(text: string, isEmptied: boolean, encode: (text: string) => string): Template {
  return compile(headerBytes(text), isEmptied, (name) => {
    const reader = readerOf(name);
    if (reader === undefined) {
      return reader;
    }
    return (exchange) => {
      const value = reader(exchange);
      return value === undefined ? undefined : encode(value);
    };
  });
}

/** Like `compileTemplate`, for names of files and folders. `change` converts each value first, even an empty value. */
export function compileFileTemplate(text: string, change = (value: string): string => value): Template {
  return compileMappedTemplate(text, (value) => change(value));
}

/**
 * Like `compileBodyTemplate`, for header values: the result contains the text's UTF-8 bytes. Control characters in
 * values of placeholders become spaces. Bytes that are not UTF-8 stay unchanged. Spaces at the ends are removed,
 * because over HTTP/2 they would make the message malformed.
 */
export function compileHeaderTemplate(text: string): Template {
  const template = compileHeaderPart(text);
  if (isFixed(template)) {
    const value = trimBlanks((template as () => string)());
    return () => value;
  }
  return (exchange) => trimBlanks(template(exchange));
}

/** Like {@link compileHeaderTemplate}, for a part of a value: spaces at its ends are kept. */
export function compileHeaderPart(text: string): Template {
  // A value with several lines, such as a long policy, is sent as one line.
  return compileEncoded(text.replace(/[\r\n]/g, " "), false, headerPart);
}

/** Like `compileTemplate`, for protocols that allow any bytes: the result contains the text's UTF-8 bytes. */
export function compileBytesTemplate(text: string): Template {
  return compileEncoded(text, true, headerBytes);
}
