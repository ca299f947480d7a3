import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { parseQuery } from "server-core/uri/query-parameters";
import { z } from "zod";
import type { SelectionPolicy } from "../handlers/reverse-proxy/selection-policy.ts";
import { fallbackField, loadFallback } from "./fallback-policy.ts";
import { selectByKey } from "./rendezvous.ts";

/**
 * Chooses by a query parameter: the same value gets the same upstream. Several values are joined with commas.
 */
export const queryPolicy = defineModule({
  id: "http.reverse_proxy.selection_policies.query",
  config: z.strictObject({
    key: z.string().nullish().describe("Name of the parameter."),
    fallback: fallbackField,
  }),
  async provision(config, context): Promise<SelectionPolicy> {
    const key = config.key ?? "";
    if (key === "") {
      throw new ServerError("MODULE_CONFIG", "query key is required");
    }
    const fallback = await loadFallback(config.fallback, context);
    return {
      select(available, exchange) {
        const values = parseQuery(exchange.query).parameters.get(key)?.join(",") ?? "";
        return values === "" ? fallback.select(available, exchange) : selectByKey(available, values);
      },
    };
  },
});
