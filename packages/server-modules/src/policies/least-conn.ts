import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Candidate } from "../handlers/reverse-proxy/candidate.ts";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/**
 * Chooses the upstream with the fewest running requests, over all threads. Upstreams with equal counts have the same
 * chance. The counts include requests of all proxies to the address, and tunnels.
 */
export const leastConnPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.least_conn",
  config: z.strictObject({}),
  provision: (): AddressPolicy => ({
    select(available) {
      let best: Candidate | undefined;
      let fewest = Number.POSITIVE_INFINITY;
      let alike = 0;
      for (const candidate of available) {
        const { requests } = candidate;
        if (requests < fewest) {
          best = candidate;
          fewest = requests;
          alike = 1;
        } else if (requests === fewest) {
          alike++;
          if (Math.random() * alike < 1) {
            best = candidate;
          }
        }
      }
      return best;
    },
  }),
});
