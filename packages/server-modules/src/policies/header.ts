import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { fallbackField, loadFallback } from "./fallback-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/**
 * Chooses by a request header: the same value gets the same upstream. `{ "policy": "header", "field": "X-User",
 * "fallback": { "policy": "first" } }`. `Host` is the authority of the request.
 */
export const headerPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.header",
  config: z.strictObject({
    field: z.string().nullish().describe("Name of the header."),
    fallback: fallbackField,
  }),
  async provision(config, context): Promise<SelectionPolicy> {
    const field = config.field ?? "";
    if (field === "") {
      throw new ServerError("MODULE_CONFIG", "header field is required");
    }
    const isHost = field.toLowerCase() === "host";
    const fallback = await loadFallback(config.fallback, context);
    return {
      select(available, exchange) {
        const value = isHost ? exchange.hostport : exchange.header(field);
        return value === "" ? fallback.select(available, exchange) : selectByKey(available, value);
      },
    };
  },
});
