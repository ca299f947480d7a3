import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { takeTurns } from "./turns.ts";

/**
 * Each upstream in turn, over all threads. As in the model, the second one has the first turn. The turn counts
 * among the upstreams that are available.
 */
export const roundRobinPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.round_robin",
  config: z.strictObject({}),
  provision(_, context): AddressPolicy {
    const nextTurn = takeTurns(context);
    return { select: (available) => available[nextTurn() % available.length] };
  },
});
