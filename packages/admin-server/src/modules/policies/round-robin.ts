import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/** Each upstream in turn. */
export const roundRobinPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.round_robin",
  config: z.strictObject({}),
  provision(): SelectionPolicy {
    let turn = 0;
    return {
      select(available) {
        turn = (turn + 1) % Number.MAX_SAFE_INTEGER;
        return available[(turn - 1) % available.length];
      },
    };
  },
});
