import { type SamplingStrategyResponse, SamplingStrategyType } from "wire/api-v2";

/** Share of traces that clients sample when nothing says otherwise. */
export const builtInProbability = 0.001;

/** What clients are told when nothing says otherwise. */
export const builtInStrategy: SamplingStrategyResponse = {
  strategyType: SamplingStrategyType.PROBABILISTIC,
  probabilisticSampling: { samplingRate: builtInProbability },
  rateLimitingSampling: undefined,
  operationSampling: undefined,
};
