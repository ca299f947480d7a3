import { z } from "zod";
import type { JsonValue } from "../../core/json/json-value.ts";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { compileTemplate } from "../../http/placeholders.ts";

/** Sets variables for later handlers: `{http.vars.<name>}`. Source: the public model (Caddy 2.11) */
export const vars = defineModule({
  id: "http.handlers.vars",
  config: z
    .record(z.string(), z.json())
    .describe("Values by name; placeholders allowed in names and in texts."),
  provision(config): HttpHandler {
    const entries = Object.entries(config).map(([name, value]) => ({
      name: compileTemplate(name),
      value: typeof value === "string" ? compileTemplate(value) : () => value as JsonValue,
    }));
    return {
      startsNothing: true,
      handle(exchange, next) {
        for (const { name, value } of entries) {
          exchange.vars.set(name(exchange), value(exchange));
        }
        return next(exchange);
      },
    };
  },
});
