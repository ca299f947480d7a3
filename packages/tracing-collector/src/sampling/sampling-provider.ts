import type { SamplingStrategyResponse } from "wire/api-v2";

/** Says how clients shall sample: out of a file, or computed from what they send. */
export interface SamplingProvider {
  /** @param service as the client calls itself; "" and unknown ones get the default strategy */
  strategyFor(service: string): SamplingStrategyResponse;
  /** Stops watching, computing, leading. */
  close(): Promise<void>;
}
