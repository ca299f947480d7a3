import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/**
 * Chooses the upstream by the client's address, as reported by trusted proxies: the same client gets the same upstream.
 * `ip_hash` would use the proxy's address instead.
 */
export const clientIpHashPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.client_ip_hash",
  config: z.strictObject({}),
  provision: (): SelectionPolicy => ({
    select: (available, exchange) => selectByKey(available, exchange.clientAddress),
  }),
});
