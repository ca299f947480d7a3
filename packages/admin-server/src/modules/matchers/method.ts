import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpMatcher } from "../../http/handler.ts";

export const methodMatcher = defineModule({
  id: "http.matchers.method",
  config: z.array(z.string()).describe("Methods; a request matches when it has one of them."),
  provision(methods): HttpMatcher {
    const wanted = new Set(methods.map((method) => method.toUpperCase()));
    return { matches: (exchange) => wanted.has(exchange.method) };
  },
});
