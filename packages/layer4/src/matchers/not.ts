import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";
import { loadMatcherSets } from "../routes/routes.ts";

/**
 * Matches when no set matches:
 *
 * | sets | result |
 * |---|---|
 * | one matches | false |
 * | none matches yet, and one needs more bytes | waits for more bytes |
 * | all fail | true |
 *
 * Source: caddy-l4, `layer4.matchers.not`
 */
export const notMatcher = defineModule({
  id: "layer4.matchers.not",
  config: z.array(moduleMap("layer4.matchers")).describe("Sets of matchers."),
  async provision(config, context): Promise<Matcher> {
    const sets = await loadMatcherSets(config, context, "sets");
    return {
      matches(connection) {
        let isOpen = false;
        for (const set of sets) {
          let all: boolean | undefined = true;
          for (const matcher of set) {
            all = matcher.matches(connection);
            if (all !== true) {
              break;
            }
          }
          if (all === true) {
            return false;
          }
          isOpen ||= all === undefined;
        }
        return isOpen ? undefined : true;
      },
    };
  },
});
