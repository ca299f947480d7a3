import type { HttpHandler } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Sets variables for later handlers: `{http.vars.<name>}`. Source: Caddy 2.11 */
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
      inRehearsal: "runs",
      handle(exchange, next) {
        for (const { name, value } of entries) {
          exchange.vars.set(name(exchange), value(exchange));
        }
        return next(exchange);
      },
    };
  },
});
