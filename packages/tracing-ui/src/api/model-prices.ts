import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

/**
 * The answer of `GET /model-prices`. `cachedInput` is the price of input that the provider had cached; absent means
 * equal to `input`.
 */
const answer = z.object({
  currency: z.string(),
  models: z.array(
    z.object({
      ...{ model: z.string(), input: z.number(), output: z.number() },
      cachedInput: z.optional(z.number()),
    }),
  ),
});

/** Prices of models per million tokens. */
export type ModelPrices = z.infer<typeof answer>;

/** For servers without prices: then no cost is shown. */
const none: ModelPrices = { currency: "USD", models: [] };

/** The prices of the query service; empty when it has none. */
export function modelPricesQuery() {
  return queryOptions({
    queryKey: ["model prices"],
    queryFn: ({ signal }): Promise<ModelPrices> =>
      readJson("api/analysis/v1/model-prices", answer, signal).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) {
          return none;
        }
        throw error;
      }),
    staleTime: 60_000,
  });
}
