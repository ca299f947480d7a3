import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpMatcher } from "../../http/handler.ts";
import { compilePathPattern } from "./path-pattern.ts";

export const pathMatcher = defineModule({
  id: "http.matchers.path",
  config: z.array(z.string()).describe("Path patterns; a request matches when any of them does."),
  provision(patterns): HttpMatcher {
    const tests = patterns.map(compilePathPattern);
    return { matches: (exchange) => tests.some((test) => test(exchange)) };
  },
});
