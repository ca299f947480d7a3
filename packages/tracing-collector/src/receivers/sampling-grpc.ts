import type { SamplingManagerServer } from "wire/grpc";
import type { SamplingProvider } from "../sampling/sampling-provider.ts";

/** Makes the handlers of `SamplingManager`. They never fail, because every service gets a strategy. */
export function samplingHandlers(provider: SamplingProvider): SamplingManagerServer {
  return {
    getSamplingStrategy: ({ request }, answer) => answer(null, provider.strategyFor(request.serviceName)),
  };
}
