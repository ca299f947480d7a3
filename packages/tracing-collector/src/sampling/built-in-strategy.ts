import { type SamplingStrategyResponse, SamplingStrategyType } from "wire/api-v2";

/** Share of traces that clients sample without other rules. */
export const builtInProbability = 0.001;

/** The strategy of clients without other rules. */
export const builtInStrategy: SamplingStrategyResponse = {
  strategyType: SamplingStrategyType.PROBABILISTIC,
  probabilisticSampling: { samplingRate: builtInProbability },
  rateLimitingSampling: undefined,
  operationSampling: undefined,
};
