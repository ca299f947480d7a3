# How a client shall sample, as the agent and the collector tell it.

namespace java io.tracing.sampling.thrift

enum SamplingStrategyType { PROBABILISTIC, RATE_LIMITING }

struct ProbabilisticSamplingStrategy {
  # 0 to 1.
  1: required double samplingRate
}

struct RateLimitingSamplingStrategy {
  1: required i16 maxTracesPerSecond
}

struct OperationSamplingStrategy {
  1: required string                        operation
  2: required ProbabilisticSamplingStrategy probabilisticSampling
}

struct PerOperationSamplingStrategies {
  1: required double                          defaultSamplingProbability
  2: required double                          defaultLowerBoundTracesPerSecond
  3: required list<OperationSamplingStrategy> perOperationStrategies
  4: optional double                          defaultUpperBoundTracesPerSecond
}

struct SamplingStrategyResponse {
  1: required SamplingStrategyType           strategyType
  2: optional ProbabilisticSamplingStrategy  probabilisticSampling
  3: optional RateLimitingSamplingStrategy   rateLimitingSampling
  4: optional PerOperationSamplingStrategies operationSampling
}

service SamplingManager {
  SamplingStrategyResponse getSamplingStrategy(1: string serviceName)
}
