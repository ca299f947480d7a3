import type { SamplingStrategyResponse } from "wire/api-v2";

/** Tells clients how to sample, from a file or computed from their spans. */
export interface SamplingProvider {
  /** @param service the client's name for itself; "" and unknown names get the default strategy */
  strategyFor(service: string): SamplingStrategyResponse;
  /** Ends its tasks and releases the leadership. */
  close(): Promise<void>;
}
