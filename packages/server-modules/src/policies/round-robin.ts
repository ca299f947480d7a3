import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { takeTurns } from "./turns.ts";

/**
 * Chooses the available upstreams in turn, over all threads. As in Caddy, the second upstream is chosen first.
 */
export const roundRobinPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.round_robin",
  config: z.strictObject({}),
  provision(_, context): AddressPolicy {
    const nextTurn = takeTurns(context);
    return { select: (available) => available[nextTurn() % available.length] };
  },
});
