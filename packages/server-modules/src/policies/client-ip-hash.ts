import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/**
 * The same upstream for the same client, as trusted proxies name it. Behind trusted proxies clients stay apart;
 * `ip_hash` would see the proxy alone.
 */
export const clientIpHashPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.client_ip_hash",
  config: z.strictObject({}),
  provision: (): SelectionPolicy => ({
    select: (available, exchange) => selectByKey(available, exchange.clientAddress),
  }),
});
