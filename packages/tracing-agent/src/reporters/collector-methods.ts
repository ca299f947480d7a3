/**
 * The methods of a collector that the agent calls, under the public model's names. Collectors of the public model
 * answer them, and our collector too.
 */
export const collectorMethods = {
  postSpans: "/jaeger.api_v2.CollectorService/PostSpans",
  getSamplingStrategy: "/jaeger.api_v2.SamplingManager/GetSamplingStrategy",
} as const;
