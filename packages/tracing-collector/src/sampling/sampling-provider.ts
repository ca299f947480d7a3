import type { SamplingStrategyResponse } from "wire/api-v2";

/** Returns sampling strategies for clients, from a file or computed from their spans. */
export interface SamplingProvider {
  /** @param service name from the client; "" and unknown names get the default strategy */
  strategyFor(service: string): SamplingStrategyResponse;
  /** Stops background tasks and releases the leadership. */
  close(): Promise<void>;
}
