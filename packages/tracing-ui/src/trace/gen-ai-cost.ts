import type { GenAiCall } from "./gen-ai.ts";

/** Price of a model for a million tokens. */
export interface ModelPrice {
  /** Name of the model; with `*` at its end all names that begin so. */
  model: string;
  /** Price of a million input tokens. */
  input: number;
  /** Price of a million output tokens. */
  output: number;
  /** Price of input tokens that a cache had; that of others when it is absent. */
  cachedInput?: number | undefined;
}

const perTokens = 1_000_000;

/** The first price that fits a model's name, in upper or lower case. */
export function priceOf(model: string, prices: readonly ModelPrice[]): ModelPrice | undefined {
  const name = model.toLowerCase();
  return prices.find((price) => {
    const pattern = price.model.toLowerCase();
    return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  });
}

/**
 * The cost of a call.
 * @returns undefined when its model has no price, or when it does not say how many tokens it took or gave
 */
export function costOf(call: GenAiCall, prices: readonly ModelPrice[]): number | undefined {
  const { model, inputTokens, outputTokens, cachedTokens = 0 } = call;
  const price = model === "" ? undefined : priceOf(model, prices);
  if (price === undefined || (inputTokens === undefined && outputTokens === undefined)) {
    return undefined;
  }
  const { input, output, cachedInput = input } = price;
  const all = inputTokens ?? 0;
  // Some senders count cached tokens among those of the input, some beside them.
  const uncached = cachedTokens <= all ? all - cachedTokens : all;
  return (uncached * input + cachedTokens * cachedInput + (outputTokens ?? 0) * output) / perTokens;
}

/** Sums of a trace. */
export interface GenAiTotals {
  /** Calls of models that say tokens. */
  calls: number;
  /** Input tokens of all counted calls. */
  inputTokens: number;
  /** Output tokens of all counted calls. */
  outputTokens: number;
  /** Undefined when no call has a price. */
  cost: number | undefined;
  /** Calls with tokens whose model has no price: the cost is without them. */
  unpriced: number;
  /** Names of their models, each once. */
  unpricedModels: string[];
}

/** Sums the calls of a trace. A call whose tokens are the sum of calls within it is left out. */
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
