import type { HttpHandler } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { compileRewrite } from "./compile-rewrite.ts";
import { rewriteSchema } from "./rewrite-config.ts";

/**
 * Changes method, path and query for later handlers, without a redirect. Source: Caddy 2.11
 */
export const rewrite = defineModule({
  id: "http.handlers.rewrite",
  config: rewriteSchema,
  provision(config): HttpHandler {
    const change = compileRewrite(config);
    return {
      startsNothing: true,
      inRehearsal: "runs",
      handle(exchange, next) {
        change(exchange);
        return next(exchange);
      },
    };
  },
});
