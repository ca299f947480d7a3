import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/** Each upstream with the same chance. The default, as it needs no state. */
export const randomPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.random",
  config: z.strictObject({}),
  provision: (): AddressPolicy => ({
    select: (available) => available[Math.floor(Math.random() * available.length)],
  }),
});
