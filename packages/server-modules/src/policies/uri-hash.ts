import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/** The same upstream for the same path and query. Keeps caches of upstreams apart: each address has one of them. */
export const uriHashPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.uri_hash",
  config: z.strictObject({}),
  provision: (): SelectionPolicy => ({
    select: (available, exchange) => selectByKey(available, exchange.target),
  }),
});
