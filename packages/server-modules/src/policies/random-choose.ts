import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Candidate } from "../handlers/reverse-proxy/candidate.ts";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/** Default number of random candidates. Two suffice to keep the fullest upstream near the average. */
const defaultChoose = 2;

/** Chooses a few upstreams at random, and of these the one with the fewest running requests. */
export const randomChoosePolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.random_choose",
  config: z.strictObject({ choose: z.int().nullish().describe("How many are looked at, two at least (2).") }),
  provision(config): AddressPolicy {
    const choose = config.choose || defaultChoose;
    if (choose < 2) {
      throw new ServerError("MODULE_CONFIG", `choices must be at least 2, got ${choose}`);
    }
    return {
      select(available) {
        const pool = [...available];
        let best: Candidate | undefined;
        for (let taken = 0; taken < choose && taken < pool.length; taken++) {
          const at = taken + Math.floor(Math.random() * (pool.length - taken));
          const candidate = pool[at] as Candidate;
          pool[at] = pool[taken] as Candidate;
          if (best === undefined || candidate.requests < best.requests) {
            best = candidate;
          }
        }
        return best;
      },
    };
  },
});
