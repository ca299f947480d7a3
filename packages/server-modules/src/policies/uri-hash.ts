import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/** Chooses by path and query: the same URI gets the same upstream. So each response is cached in only one upstream. */
export const uriHashPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.uri_hash",
  config: z.strictObject({}),
  provision: (): SelectionPolicy => ({
    select: (available, exchange) => selectByKey(available, exchange.target),
  }),
});
