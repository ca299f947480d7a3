import { costOfTokens, type ModelPrice, priceOf } from "wire/model-price";
import type { GenAiCall } from "./gen-ai.ts";

/**
 * The cost of a call.
 * @returns undefined when the model has no price, or when the call has no token counts
 */
export function costOf(call: GenAiCall, prices: readonly ModelPrice[]): number | undefined {
  const { model, inputTokens, outputTokens, cachedTokens = 0 } = call;
  const price = model === "" ? undefined : priceOf(model, prices);
  if (price === undefined || (inputTokens === undefined && outputTokens === undefined)) {
    return undefined;
  }
  const tokens = { input: inputTokens ?? 0, output: outputTokens ?? 0, cached: cachedTokens };
  return costOfTokens(tokens, price);
}

/** Sums over the calls of a trace. */
export interface GenAiTotals {
  /** Number of calls with token counts. */
  calls: number;
  /** Input tokens of all counted calls. */
  inputTokens: number;
  /** Output tokens of all counted calls. */
  outputTokens: number;
  /** Sum of the costs; undefined when no call has a price. */
  cost: number | undefined;
  /** Number of calls with tokens whose model has no price. The cost does not include these calls. */
  unpriced: number;
  /** Names of the models without a price, each once. */
  unpricedModels: string[];
}

/** Sums the calls of a trace. A call whose tokens are the sum of nested calls is left out. */
export function totalsOf(calls: readonly GenAiCall[], prices: readonly ModelPrice[]): GenAiTotals {
  const totals: GenAiTotals = {
    ...{ calls: 0, inputTokens: 0, outputTokens: 0, cost: undefined, unpriced: 0 },
    unpricedModels: [],
  };
  for (const call of calls) {
    if (call.isSum || (call.inputTokens === undefined && call.outputTokens === undefined)) {
      continue;
    }
    totals.calls += 1;
    totals.inputTokens += call.inputTokens ?? 0;
    totals.outputTokens += call.outputTokens ?? 0;
    const cost = costOf(call, prices);
    if (cost !== undefined) {
      totals.cost = (totals.cost ?? 0) + cost;
      continue;
    }
    totals.unpriced += 1;
    const model = call.model || "no model named";
    if (!totals.unpricedModels.includes(model)) {
      totals.unpricedModels.push(model);
    }
  }
  return totals;
}
