import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Methods in the config are converted to upper case; request methods are compared unchanged. */
export const methodMatcher = defineModule({
  id: "http.matchers.method",
  config: z.array(z.string()).describe("Methods; a request matches when it has one of them."),
  provision(methods): HttpMatcher {
    const wanted = new Set(methods.map((method) => method.toUpperCase()));
    return { matches: (exchange) => wanted.has(exchange.method) };
  },
});
