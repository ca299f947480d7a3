import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { AddressPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/**
 * Chooses by the peer's address: the same address gets the same upstream. No header is used, so the policy serves
 * connections of any protocol.
 */
export const ipHashPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.ip_hash",
  config: z.strictObject({}),
  provision: (): AddressPolicy => ({
    select: (available, client) => selectByKey(available, client.remoteAddress),
  }),
});
