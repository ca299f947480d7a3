import { z } from "zod";
import { type ModelPrices, modelPricesSchema } from "../../service/model-prices.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";

const readNothing = paramsReader(z.strictObject({}));

export const modelPricesOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/model-prices",
  id: "getModelPrices",
  summary: "What models cost, from the file of --query.model-prices-file; empty without one",
  answer: { contentType: "application/json", schema: modelPricesSchema.meta({ id: "ModelPrices" }) },
  failures: "problem",
  failureStatuses: [400],
  example: {},
  failingExample: { status: 400, request: { query: { model: "all" } } },
};

/**
 * `GET …/model-prices`: price per million tokens of each model. The UI computes the price of a conversation from it.
 *
 * ```
 * {"currency": "USD", "models": [{"model": "gpt-4o*", "input": 2.5, "output": 10, "cachedInput": 1.25}]}
 * ```
 *
 * Errors: 400 for any parameter; 500 when the file has a mistake, with the position in the message.
 */
export function modelPricesEndpoint(prices: ModelPrices): Endpoint {
  return async ({ params }) => {
    readNothing(params);
    return [JSON.stringify(await prices.read())];
  };
}
