import { type HttpMatcher, httpMatchers } from "http-engine/handler";
import { matchersInOrder } from "http-engine/matcher-order";
import { errorWithin } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Matchers of a set run in a fixed order, so captures do not depend on the config's order. */
export const notMatcher = defineModule({
  id: "http.matchers.not",
  config: z
    .array(moduleMap("http.matchers"))
    .describe("Sets of matchers: a request matches when none of the sets does."),
  async provision(config, context): Promise<HttpMatcher> {
    const sets: HttpMatcher[][] = [];
    for (const [position, modules] of config.entries()) {
      const set: HttpMatcher[] = [];
      for (const name of matchersInOrder(modules)) {
        try {
          set.push(await context.load(httpMatchers, name, modules[name] as JsonValue, `${position}/${name}`));
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
