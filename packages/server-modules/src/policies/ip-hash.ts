import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/**
 * The same upstream for the same address that is connected. Looks at no header, so it serves connections of any
 * protocol too.
 */
export const ipHashPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.ip_hash",
  config: z.strictObject({}),
  provision: (): AddressPolicy => ({
    select: (available, client) => selectByKey(available, client.remoteAddress),
  }),
});
