import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { Candidate } from "../handlers/reverse-proxy/candidate.ts";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/** Each upstream in turn, as often as its weight says, spread evenly. Source: the smooth algorithm of nginx */
export const weightedRoundRobinPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.weighted_round_robin",
  config: z.strictObject({
    weights: z
      .array(z.int().min(0))
      .nullish()
      .describe("Of the upstreams, in their order; 0 for none, an upstream without one has 1."),
  }),
  provision(config): SelectionPolicy {
    const weights = config.weights ?? [];
    const credits: number[] = [];
    return {
      select(available) {
        let best: Candidate | undefined;
        let total = 0;
        for (const candidate of available) {
          const weight = weights[candidate.index] ?? 1;
          if (weight > 0) {
            total += weight;
            credits[candidate.index] = (credits[candidate.index] ?? 0) + weight;
            if (best === undefined || (credits[candidate.index] ?? 0) > (credits[best.index] ?? 0)) {
              best = candidate;
            }
          }
        }
        if (best !== undefined) {
          credits[best.index] = (credits[best.index] ?? 0) - total;
        }
        return best;
      },
    };
  },
});
