import type { Exchange } from "http-engine/exchange";
import {
  getHeader,
  getHeaders,
  type HeaderList,
  headerBytes,
  removeHeaders,
  setHeader,
} from "http-engine/header-list";
import { addressText } from "http-engine/remote-address";
import { parseQuery } from "server-core/uri/query-parameters";
import type { RequestTarget } from "server-core/uri/request-target";
import { readCookie } from "../../cookies/cookies.ts";
import { printed } from "./template-values.ts";

/** The methods of Go's `http.Header` that templates use. */
function headerObject(headers: () => HeaderList): object {
  return {
    Get: (name: unknown) => getHeader(headers(), printed(name)) ?? "",
    Values: (name: unknown) => getHeaders(headers(), printed(name)),
  };
}

/** Fields without `Host`. */
function withoutHost(headers: HeaderList): HeaderList {
  const others = [...headers];
  removeHeaders(others, (name) => name === "host");
  return others;
}

/** The members of Go's `url.URL` that templates use. */
function urlObject({ path, rawPath, query, text }: RequestTarget): object {
  const { parameters } = parseQuery(query);
  return {
    Path: path,
    RawPath: rawPath,
    RawQuery: query.replace(/^\?/, ""),
    RequestURI: () => text,
    Query: () => ({
      Get: (name: unknown) => parameters.get(printed(name))?.[0] ?? "",
      Has: (name: unknown) => parameters.has(printed(name)),
    }),
    toText: () => text,
  };
}

/** A value for a field, without control characters. */
function headerValue(value: unknown): string {
  return headerBytes(printed(value).replace(/(?!\t)\p{Cc}/gu, " "));
}

/**
 * The dot of a template: the request, and the response's fields. `{{.Req.Header.Get "Accept"}}`,
 * `{{.Cookie "lang"}}`, `{{.RespHeader.Set "X-A" "1"}}`.
 * Source: the public model (Caddy 2.11)
 */
export function templateContext(
  exchange: Exchange,
  responseHeaders: HeaderList,
  args: readonly unknown[],
): object {
  const { original } = exchange;
  const request = {
    Method: exchange.method,
    Host: exchange.hostport,
    Proto: exchange.protocol,
    RemoteAddr: addressText(exchange.remoteAddress, exchange.socket.remotePort),
    RequestURI: exchange.target,
    // `Host` is beside the fields, as in Go.
    Header: headerObject(() => withoutHost(exchange.requestHeaders)),
    URL: urlObject(exchange.line.target),
  };
  return {
    Args: args,
    Req: request,
    OriginalReq: {
      ...request,
      Method: original.method,
      RequestURI: original.target.text,
      URL: urlObject(original.target),
    },
    RespHeader: {
      Get: (name: unknown) => getHeader(responseHeaders, printed(name)) ?? "",
      Set(name: unknown, value: unknown) {
        setHeader(responseHeaders, printed(name), headerValue(value));
        return "";
      },
      Add(name: unknown, value: unknown) {
        responseHeaders.push(printed(name), headerValue(value));
        return "";
      },
      Del(name: unknown) {
        const gone = printed(name).toLowerCase();
        removeHeaders(responseHeaders, (each) => each === gone);
        return "";
      },
    },
    Cookie: (name: unknown) => readCookie(exchange, printed(name)) ?? "",
    Host: () => exchange.host,
    RemoteIP: () => exchange.remoteAddress,
    ClientIP: () => exchange.clientAddress,
  };
}
