import { z } from "zod";
import { notYet } from "../../core/modules/config-fields.ts";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { compileHeaderOperations, headerOperationsShape } from "../../http/header-operations.ts";

/** Changes headers of the request, of the response, or both. */
export const headers = defineModule({
  id: "http.handlers.headers",
  config: z.strictObject({
    request: z.strictObject(headerOperationsShape).nullish().describe("For the handlers after this one."),
    response: z
      .strictObject({
        ...headerOperationsShape,
        deferred: z.boolean().nullish().describe("Whether to wait until the response's head is sent."),
        require: notYet(),
      })
      .nullish(),
  }),
  provision(config): HttpHandler {
    const onRequest = config.request ? compileHeaderOperations(config.request) : undefined;
    const onResponse = config.response ? compileHeaderOperations(config.response) : undefined;
    const deferred = config.response?.deferred === true;
    return {
      handle(exchange, next) {
        if (onRequest !== undefined) {
          exchange.changeRequestHeaders((list) => onRequest(list, exchange));
        }
        if (onResponse !== undefined) {
          if (deferred) {
            exchange.beforeHead((list) => onResponse(list, exchange));
          } else {
            onResponse(exchange.responseHeaders, exchange);
          }
        }
        return next(exchange);
      },
    };
  },
});
