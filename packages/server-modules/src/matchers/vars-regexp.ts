import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { compileRegexpTest, regexpSchema } from "./regexp-captures.ts";
import { compileVariable } from "./request-variable.ts";

/** A variable without a value counts as the empty text. */
export const varsRegexpMatcher = defineModule({
  id: "http.matchers.vars_regexp",
  config: z
    .record(z.string(), regexpSchema)
    .describe("Regular expressions by variable or placeholder in braces: one must match."),
  provision(config): HttpMatcher {
    const tests = Object.entries(config).map(([key, each]) => ({
      read: compileVariable(key),
      test: compileRegexpTest(each),
    }));
    return { matches: (exchange) => tests.some(({ read, test }) => test(read(exchange), exchange)) };
  },
});
