import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { compileTemplate } from "../../http/placeholders.ts";

/** Sets variables for later handlers: `{http.vars.<name>}`. */
export const vars = defineModule({
  id: "http.handlers.vars",
  config: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe("Values by name; placeholders allowed in texts."),
  provision(config): HttpHandler {
    const entries = Object.entries(config).map(([name, value]) => ({
      name,
      value: compileTemplate(String(value ?? "")),
    }));
    return {
      handle(exchange, next) {
        for (const { name, value } of entries) {
          exchange.vars.set(name, value(exchange));
        }
        return next(exchange);
      },
    };
  },
});
