import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";

/**
 * Chooses the first available upstream, in the order of the config. The others are spares: they get requests only while
 * the upstreams before them are not available.
 */
export const firstPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.first",
  config: z.strictObject({}),
  provision: (): AddressPolicy => ({ select: (available) => available[0] }),
});
