/**
 * The methods of a collector that the agent calls, under Jaeger's names. Collectors of Jaeger have
 * these methods, and so has the collector of this project.
 */
export const collectorMethods = {
  postSpans: "/jaeger.api_v2.CollectorService/PostSpans",
  getSamplingStrategy: "/jaeger.api_v2.SamplingManager/GetSamplingStrategy",
} as const;
