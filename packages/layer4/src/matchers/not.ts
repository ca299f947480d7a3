import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Matcher } from "../routes/handler.ts";
import { anyMatches, loadMatcherSets } from "../routes/routes.ts";

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
        const any = sets.length === 0 ? false : anyMatches(sets, connection);
        return typeof any === "boolean" ? !any : any;
      },
    };
  },
});
