import type { Exchange } from "http-engine/exchange";
import { addLateLogField, addLogField } from "http-engine/extra-fields";
import type { HttpHandler } from "http-engine/handler";
import { readPlaceholder } from "http-engine/placeholders";
import type { LogValue } from "server-core/logging/log-entry";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Adds a field to the request's line in the access log. Source: Caddy 2.11 */
export const logAppend = defineModule({
  id: "http.handlers.log_append",
  config: z.strictObject({
    key: z.string().min(1).describe("Name of the field."),
    value: z.string().nullish().describe("A placeholder, the name of a variable, or a text."),
    early: z.boolean().nullish().describe("Whether the value is taken before the next handlers run."),
  }),
  provision(config): HttpHandler {
    const text = config.value ?? "";
    const placeholder = /^\{([^{}]+)\}$/.exec(text)?.[1];
    const logValueOf = (exchange: Exchange): LogValue =>
      placeholder === undefined
        ? ((exchange.vars.get(text) as LogValue | undefined) ?? text)
        : (readPlaceholder(exchange, placeholder) ?? null);
    return {
      startsNothing: true,
      inRehearsal: "runs",
      handle(exchange, next) {
        if (config.early === true) {
          addLogField(exchange, config.key, logValueOf(exchange));
        } else {
          addLateLogField(exchange, config.key, () => logValueOf(exchange));
        }
        return next(exchange);
      },
    };
  },
});
