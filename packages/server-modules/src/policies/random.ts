import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/** Chooses at random, with equal chances. This is the default policy, because it needs no state. */
export const randomPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.random",
  config: z.strictObject({}),
  provision: (): AddressPolicy => ({
    select: (available) => available[Math.floor(Math.random() * available.length)],
  }),
});
