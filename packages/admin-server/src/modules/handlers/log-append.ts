import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { readPlaceholder } from "../../http/placeholders.ts";
import { addLogField } from "../logging/access/extra-fields.ts";
import type { LogValue } from "../logging/log-entry.ts";

/** Adds a field to the request's line in the access log. Source: the public model (Caddy 2.11) */
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
      handle(exchange, next) {
        // Else looked up when the line is written.
        addLogField(
          exchange,
          config.key,
          config.early === true ? logValueOf(exchange) : () => logValueOf(exchange),
        );
        return next(exchange);
      },
    };
  },
});
