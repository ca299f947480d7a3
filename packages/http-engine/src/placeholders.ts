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

/** Readers that are cached for names that come up at run time only. */
const maxKnownReaders = 1000;

/** Reads a placeholder's value; undefined where the request has none, as for an unknown name. */
type Reader = (exchange: Exchange) => string | undefined;

/** A text, or a function that makes it at the first use. */
type PlaceholderValue = string | (() => string);

/** Values that matchers and handlers found for a request: captures, files, users. Most requests have none. */
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

/** Names under which only {@link setPlaceholder} puts values. */
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
      // `Host` is no field to the model: `{http.request.host}` and `{http.request.hostport}` are its placeholders.
      name.toLowerCase() === "host" ? () => "" : (exchange) => joinedHeader(exchange.requestHeaders, name),
  ],
  ["http.request.uri.query.", (name) => (exchange) => queryValue(exchange, name)],
  ...requestPrefixes,
  ["http.reverse_proxy.", (name) => (exchange) => exchange.proxied?.placeholder(name)],
  ["http.vars.", (name) => (exchange) => exchange.varText(name)],
];

/** The reader of a name to which the server itself gives values. */
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

/** Whether the server gives a placeholder of that name a value; handlers of a config may name others. */
export function knowsPlaceholder(name: string): boolean {
  return ownReaderOf(name) !== undefined;
}

/** As {@link ownReaderOf}; a handler may give any name a value. */
function readerOf(name: string): Reader | undefined {
  return ownReaderOf(name) ?? (/^[\w.-]+$/.test(name) ? (exchange) => foundValue(exchange, name) : undefined);
}

/** Text within a header value: control characters are not allowed, so they become blanks. */
function headerPart(text: string): string {
  return headerBytes(text.replace(/(?!\t)\p{Cc}/gu, " "));
}

/**
 * @param isEmptied whether an unknown placeholder becomes empty; else it stays as it is
 * @param find gives undefined for a name that no request knows
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
 * Source: the public model (Caddy 2.11), `ReplaceAll`
 */
export function compileTemplate(text: string): Template {
  return compile(text, true, readerOf);
}

/**
 * As {@link compileTemplate} for texts that may hold braces of their own, such as bodies: an unknown placeholder stays as
 * it is. Source: the public model (Caddy 2.11), `ReplaceKnown`
 */
export function compileBodyTemplate(text: string): Template {
  return compile(text, false, readerOf);
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
  return readers.get(name)?.(exchange);
}

/** As `compileTemplate`; values pass through `change` before they take their place. */
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

/** As `compileTemplate` for names of files and folders. Values pass through `change`, empty ones too. */
export function compileFileTemplate(text: string, change = (value: string): string => value): Template {
  return compileMappedTemplate(text, (value) => change(value));
}

/**
 * As `compileBodyTemplate`, for header values: text as its UTF-8 bytes, with blanks for control characters in values of
 * placeholders. Bytes that are no UTF-8 stay as they came. No blanks at the ends: over HTTP/2 they would make
 * the message malformed.
 */
export function compileHeaderTemplate(text: string): Template {
  const template = compileHeaderPart(text);
  if (isFixed(template)) {
    const value = trimBlanks((template as () => string)());
    return () => value;
  }
  return (exchange) => trimBlanks(template(exchange));
}

/** As {@link compileHeaderTemplate}, for a part of a value: blanks at its ends count. */
export function compileHeaderPart(text: string): Template {
  // A value of several lines, such as a long policy, is one line to clients.
  return compileEncoded(text.replace(/[\r\n]/g, " "), false, headerPart);
}

/** As `compileTemplate`, for protocols that take bytes of any value: text as its UTF-8 bytes. */
export function compileBytesTemplate(text: string): Template {
  return compileEncoded(text, true, headerBytes);
}
