import type { Exchange } from "http-engine/exchange";
import {
  getHeader,
  getHeaders,
  type HeaderList,
  headerBytes,
  headerText,
  removeHeaders,
  setHeader,
} from "http-engine/header-list";
import { readCookie } from "../../cookies/cookies.ts";
import { TemplateStruct } from "./go-types.ts";
import { headerMap, requestStruct } from "./request-struct.ts";
import { printed } from "./template-values.ts";

/** Removes control characters from a header value. */
function headerValue(value: unknown): string {
  return headerBytes(printed(value).replace(/(?!\t)\p{Cc}/gu, " "));
}

/**
 * The dot of a template: the request, and the response headers. `{{.Req.Header.Get "Accept"}}`,
 * `{{.Cookie "lang"}}`, `{{.RespHeader.Set "X-A" "1"}}`.
 * Source: Caddy 2.11
 */
export function templateContext(
  exchange: Exchange,
  responseHeaders: HeaderList,
  args: readonly unknown[],
): TemplateStruct {
  const { method, line, original } = exchange;
  const request = { method, target: line.target };
  return new TemplateStruct("*templates.TemplateContext", {
    Args: args,
    get Req() {
      return requestStruct(exchange, request);
    },
    OriginalReq: () => requestStruct(exchange, original),
    RespHeader: new TemplateStruct("templates.WrappedHeader", {
      get Header() {
        return headerMap(responseHeaders);
      },
      Get: (name: unknown) => headerText(getHeader(responseHeaders, printed(name)) ?? ""),
      Values: (name: unknown) => getHeaders(responseHeaders, printed(name)).map(headerText),
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
    }),
    Cookie: (name: unknown) => headerText(readCookie(exchange, printed(name)) ?? ""),
    Host: () => exchange.host,
    RemoteIP: () => exchange.remoteAddress,
    ClientIP: () => exchange.clientAddress,
  });
}
