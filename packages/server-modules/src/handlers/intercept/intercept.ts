import type { HttpHandler } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { InterceptFilter } from "./intercept-filter.ts";
import { loadResponseRules, responseRuleSchema } from "./response-rules.ts";

/** Replaces responses of later handlers. Source: Caddy 2.11, without its wrong Content-Length */
export const intercept = defineModule({
  id: "http.handlers.intercept",
  config: z.strictObject({
    handle_response: z
      .array(responseRuleSchema)
      .nullish()
      .describe(
        "The first that matches counts; `{http.intercept.*}` tells its routes of the response, whose body they keep unless they write one.",
      ),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const rules = await loadResponseRules(config.handle_response ?? [], context);
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        const filter = exchange.interceptResponse((below) => new InterceptFilter(below, exchange, rules));
        return filter.around(next);
      },
    };
  },
});
