import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { getHeader, getHeaders, type HeaderList, removeHeaders } from "http-engine/header-list";
import { compileHeaderOperations, headerOperationsShape } from "http-engine/header-operations";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { compileResponseMatcher, responseMatcherSchema } from "../../matchers/response-matcher.ts";

/** Changes request fields. The config treats `Host` as a field, but the exchange stores the authority separately. */
function changeRequest(exchange: Exchange, change: (headers: HeaderList, exchange: Exchange) => void): void {
  exchange.changeRequestHeaders((list) => {
    // HTTP/2 sends no `Host` field, so the authority is added as a field while the operations run.
    const isInFields = list.some((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
    if (!isInFields) {
      list.push("Host", exchange.hostport);
    }
    change(list, exchange);
    const host = getHeaders(list, "host").at(-1) ?? "";
    if (host !== exchange.hostport) {
      exchange.setHost(host);
    }
    if (!isInFields) {
      removeHeaders(list, (name) => name === "host");
    }
  });
}

/** Changes headers of the request, of the response, or both. Source: Caddy 2.11 */
export const headers = defineModule({
  id: "http.handlers.headers",
  config: z.strictObject({
    request: z.strictObject(headerOperationsShape).nullish().describe("For the handlers after this one."),
    response: z
      .strictObject({
        ...headerOperationsShape,
        deferred: z.boolean().nullish().describe("Whether to wait until the response's head is sent."),
        require: responseMatcherSchema
          .nullish()
          .describe("Responses that are changed (all); looked at when the head is sent."),
      })
      .nullish()
      .describe("For the client. At once, unless deferred: later handlers may change it again."),
  }),
  provision(config): HttpHandler {
    const onRequest = config.request ? compileHeaderOperations(config.request) : undefined;
    const onResponse = config.response ? compileHeaderOperations(config.response) : undefined;
    const required = config.response?.require ? compileResponseMatcher(config.response.require) : undefined;
    const deferred = config.response?.deferred === true || required !== undefined;
    return {
      startsNothing: true,
      inRehearsal: "runs",
      handle(exchange, next) {
        if (onRequest !== undefined) {
          changeRequest(exchange, onRequest);
        }
        if (onResponse !== undefined && deferred) {
          exchange.beforeHead((list, status) => {
            if (required === undefined || required(status, list, exchange)) {
              const type = getHeader(list, "content-type");
              onResponse(list, exchange);
              exchange.tellsType ||= type !== undefined && getHeader(list, "content-type") === undefined;
            }
          });
        } else if (onResponse !== undefined) {
          onResponse(exchange.responseHeaders, exchange);
        }
        return next(exchange);
      },
    };
  },
});
