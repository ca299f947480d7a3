import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { compileRegexpTest, regexpSchema } from "./regexp-captures.ts";

/** `^/items/([0-9]+)$` with the name `item` sets `{http.regexp.item.1}`. */
export const pathRegexpMatcher = defineModule({
  id: "http.matchers.path_regexp",
  config: regexpSchema.describe("A regular expression for the decoded, cleaned path."),
  provision(config): HttpMatcher {
    const matches = compileRegexpTest(config);
    return { matches: (exchange) => matches(exchange.cleanedPath, exchange) };
  },
});
