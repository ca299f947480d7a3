import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Candidate } from "../handlers/reverse-proxy/candidate.ts";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { takeTurns } from "./turns.ts";

/**
 * Chooses the upstreams in turn, over all threads. Each gets as many consecutive requests as its weight. Any sequence
 * of requests as long as the sum of weights is distributed exactly. Weights 3 and 1 give the turns A, A, B, A,
 * repeatedly. The turns of an unavailable upstream go to the others.
 * Source: Caddy 2.11
 */
export const weightedRoundRobinPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.weighted_round_robin",
  config: z.strictObject({
    weights: z
      .array(z.int().min(0))
      .nullish()
      .describe("Of the upstreams, in their order; 0 for none, an upstream without one has 1."),
  }),
  provision(config, context): AddressPolicy {
    const weights = config.weights ?? [];
    if (weights.length > 0 && weights.every((weight) => weight === 0)) {
      throw new ServerError(
        "MODULE_CONFIG",
        "weighted_round_robin requires at least one upstream with a positive weight",
      );
    }
    const weightOf = ({ index }: Candidate) => weights[index] ?? 1;
    const nextTurn = takeTurns(context);
    return {
      select(available) {
        let total = 0;
        for (const candidate of available) {
          total += weightOf(candidate);
        }
        if (total === 0) {
          return undefined;
        }
        let place = nextTurn() % total;
        for (const candidate of available) {
          place -= weightOf(candidate);
          if (place < 0) {
            return candidate;
          }
        }
        return undefined;
      },
    };
  },
});
