import { z } from "zod";
import { errorWithin } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json/json-value.ts";
import { moduleMap } from "../../core/modules/config-fields.ts";
import { defineModule } from "../../core/modules/module.ts";
import { type HttpMatcher, httpMatchers } from "../../http/handler.ts";

export const notMatcher = defineModule({
  id: "http.matchers.not",
  config: z
    .array(moduleMap("http.matchers"))
    .describe("Sets of matchers: a request matches when none of the sets does."),
  async provision(config, context): Promise<HttpMatcher> {
    const sets: HttpMatcher[][] = [];
    for (const [position, modules] of config.entries()) {
      const set: HttpMatcher[] = [];
      for (const [name, each] of Object.entries(modules)) {
        try {
          set.push(await context.load(httpMatchers, name, each as JsonValue, `${position}/${name}`));
        } catch (error) {
          throw errorWithin(`loading matcher sets: module name '${name}'`, error);
        }
      }
      sets.push(set);
    }
    return {
      matches: (exchange) => !sets.some((set) => set.every((matcher) => matcher.matches(exchange))),
    };
  },
});
