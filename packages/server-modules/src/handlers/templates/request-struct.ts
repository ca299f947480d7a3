import type { Exchange } from "http-engine/exchange";
import { type HeaderList, headerText } from "http-engine/header-list";
import { addressText } from "http-engine/remote-address";
import { formatQuery, parseQuery } from "server-core/uri/query-parameters";
import type { RequestTarget } from "server-core/uri/request-target";
import { MapWithMethods, TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { printed } from "./template-values.ts";

/** The canonical form of a name in Go: `x-forwarded-for` becomes `X-Forwarded-For`. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (part) => part.toUpperCase());
}

/** Fields by canonical name, each with the list of its values, and with the methods `Get` and `Values`. */
export function headerMap(headers: HeaderList, without?: string): MapWithMethods {
  const fields = new Map<string, string[]>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = canonicalName(headers[index] ?? "");
    if (name !== without) {
      const value = headerText(headers[index + 1] ?? "");
      fields.set(name, [...(fields.get(name) ?? []), value]);
    }
  }
  const valuesOf = (name: unknown) => fields.get(canonicalName(printed(name))) ?? [];
  return new MapWithMethods(fields, { Get: (name: unknown) => valuesOf(name)[0] ?? "", Values: valuesOf });
}

function queryMap(query: string): MapWithMethods {
  const { parameters } = parseQuery(query);
  return new MapWithMethods(parameters, {
    Get: (name: unknown) => parameters.get(printed(name))?.[0] ?? "",
    Has: (name: unknown) => parameters.has(printed(name)),
    Encode: () => formatQuery(new Map([...parameters].sort(([a], [b]) => (a < b ? -1 : 1)))).slice(1),
  });
}

function urlStruct({ path, rawPath, query, text }: RequestTarget): TemplateStruct {
  return new TemplateStruct(
    "*url.URL",
    {
      Scheme: "",
      Opaque: "",
      User: "",
      Host: "",
      Path: path,
      RawPath: rawPath,
      RawQuery: query.replace(/^\?/, ""),
      Fragment: "",
      EscapedPath: () => rawPath,
      Hostname: () => "",
      IsAbs: () => false,
      Port: () => "",
      Query: () => queryMap(query),
      RequestURI: () => text,
      String: () => text,
    },
    () => text,
  );
}

function cookieStruct(name: string, value: string): TemplateStruct {
  const text = `${name}=${value}`;
  return new TemplateStruct("*http.Cookie", { Name: name, Value: value, String: () => text }, () => text);
}

function cookiesOf(header: MapWithMethods): TemplateStruct[] {
  const lines = (header.get("Cookie") ?? []) as string[];
  return lines
    .flatMap((line) => line.split(";"))
    .flatMap((pair) => {
      const [, name = "", value = ""] = /^\s*([^=\s]+)=\s*(.*?)\s*$/s.exec(pair) ?? [];
      const bare = value.replace(/^"(.*)"$/s, "$1");
      return name === "" || /["\\;]|[^ -~]/.test(bare) ? [] : [cookieStruct(name, bare)];
    });
}

/** Method and target of a request: the current ones, or those that the client sent. */
export interface RequestLine {
  /** Method, such as `GET`. */
  readonly method: string;
  /** Path and query. */
  readonly target: RequestTarget;
}

/**
 * The request as templates see it: `{{.Req.Header.Get "Accept"}}`, `{{.Req.URL.Path}}`, `{{.Req.FormValue "q"}}`. The
 * body is not read, so form values come only from the query.
 * Source: Go, package net/http, `Request`
 */
export function requestStruct(exchange: Exchange, { method, target }: RequestLine): TemplateStruct {
  // As in Go, `Host` is a separate member, not a header field.
  const header = () => headerMap(exchange.requestHeaders, "Host");
  const version = /(\d)(?:\.(\d))?$/.exec(exchange.protocol) ?? [];
  const query = () => queryMap(target.query);
  const first = (name: unknown) => parseQuery(target.query).parameters.get(printed(name))?.[0] ?? "";
  const cookie = (name: unknown) => {
    const found = cookiesOf(header()).find(({ members }) => members.Name === printed(name));
    if (found === undefined) {
      throw new TemplateError("http: named cookie not present");
    }
    return found;
  };
  const basic = () => /^basic (\S+)$/i.exec(exchange.header("authorization"))?.[1] ?? "";
  return new TemplateStruct("*http.Request", {
    Method: method,
    get URL() {
      return urlStruct(target);
    },
    Proto: exchange.protocol,
    ProtoMajor: Number(version[1] ?? 1),
    ProtoMinor: Number(version[2] ?? 0),
    get Header() {
      return header();
    },
    ContentLength: exchange.stream.bodyLength ?? (exchange.hasBody ? -1 : 0),
    TransferEncoding: exchange.stream.bodyLength === undefined && exchange.hasBody ? ["chunked"] : [],
    Close: /(?:^|,)\s*close\s*(?:,|$)/i.test(exchange.header("connection")),
    Host: exchange.hostport,
    get Form() {
      return query();
    },
    PostForm: new Map(),
    Trailer: new Map(),
    RemoteAddr: addressText(exchange.remoteAddress, exchange.socket.remotePort),
    RequestURI: target.text,
    TLS:
      exchange.scheme === "https"
        ? new TemplateStruct("*tls.ConnectionState", { HandshakeComplete: true })
        : null,
    FormValue: first,
    PostFormValue: () => "",
    PathValue: () => "",
    UserAgent: () => headerText(exchange.header("user-agent")),
    Referer: () => headerText(exchange.header("referer")),
    Cookie: cookie,
    Cookies: () => cookiesOf(header()),
    BasicAuth: () => Buffer.from(basic(), "base64").toString().split(":", 1)[0] ?? "",
    ProtoAtLeast: (major: unknown, minor: unknown) => {
      const [own, asked] = [Number(version[1] ?? 1), Number(major)];
      return own > asked || (own === asked && Number(version[2] ?? 0) >= Number(minor));
    },
  });
}
