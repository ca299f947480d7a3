import type { GenAiCall } from "./gen-ai.ts";

/** Price of a model for a million tokens. */
export interface ModelPrice {
  /** Name of the model. A `*` at the end matches all names with this prefix. */
  model: string;
  /** Price of a million input tokens. */
  input: number;
  /** Price of a million output tokens. */
  output: number;
  /** Price of a million cached input tokens; absent: the price of `input`. */
  cachedInput?: number | undefined;
}

const perTokens = 1_000_000;

/** The first price that matches a model's name; upper and lower case are equal. */
export function priceOf(model: string, prices: readonly ModelPrice[]): ModelPrice | undefined {
  const name = model.toLowerCase();
  return prices.find((price) => {
    const pattern = price.model.toLowerCase();
    return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  });
}

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
  const { input, output, cachedInput = input } = price;
  const all = inputTokens ?? 0;
  // Some senders include cached tokens in the input tokens, others count them separately.
  const uncached = cachedTokens <= all ? all - cachedTokens : all;
  return (uncached * input + cachedTokens * cachedInput + (outputTokens ?? 0) * output) / perTokens;
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
