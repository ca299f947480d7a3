/** Price of a model for a million tokens. */
export interface ModelPrice {
  /** Name of the model. A `*` at the end matches all names with this prefix. */
  readonly model: string;
  /** Price of a million input tokens. */
  readonly input: number;
  /** Price of a million output tokens. */
  readonly output: number;
  /** Price of a million cached input tokens; absent: the price of `input`. */
  readonly cachedInput?: number | undefined;
}

/** Tokens of one call, or the sums of several calls of one model. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Input tokens that the provider read from its cache. */
  readonly cached: number;
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

/** The price of tokens. The query service and the UI reckon with this function. */
export function costOfTokens({ input, output, cached }: TokenCounts, price: ModelPrice): number {
  // Some senders include cached tokens in the input tokens, others count them separately.
  const uncached = cached <= input ? input - cached : input;
  const cachedPrice = price.cachedInput ?? price.input;
  return (uncached * price.input + cached * cachedPrice + output * price.output) / perTokens;
}
