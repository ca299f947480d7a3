import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { compileRegexpTest, regexpSchema } from "./regexp-captures.ts";
import { requestFieldValues } from "./request-fields.ts";

/** The first matching value of a field sets the captures. */
export const headerRegexpMatcher = defineModule({
  id: "http.matchers.header_regexp",
  config: z
    .record(z.string(), regexpSchema)
    .describe("Regular expressions by field: all fields must match, each with one of its values."),
  provision(config): HttpMatcher {
    const fields = Object.entries(config).map(([name, each]) => ({ name, test: compileRegexpTest(each) }));
    return {
      matches: (exchange) =>
        fields.every(({ name, test }) =>
          requestFieldValues(exchange, name).some((value) => test(value, exchange)),
        ),
    };
  },
});
