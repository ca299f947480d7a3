import type { HttpMatcher } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { compileVariable } from "./request-variable.ts";

/** Without entries the matcher matches every request. */
export const varsMatcher = defineModule({
  id: "http.matchers.vars",
  config: z
    .record(z.string(), z.array(z.string()).nullable())
    .describe("Values by variable or placeholder in braces: one of them must have one of its values."),
  provision(config): HttpMatcher {
    const wanted = Object.entries(config).map(([key, values]) => ({
      read: compileVariable(key),
      values: (values ?? []).map(compileTemplate),
    }));
    return {
      matches: (exchange) =>
        wanted.length === 0 ||
        wanted.some(({ read, values }) => {
          const found = read(exchange);
          return values.some((value) => value(exchange) === found);
        }),
    };
  },
});
