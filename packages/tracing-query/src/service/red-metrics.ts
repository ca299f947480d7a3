import type { MetricsReader } from "storage/api";

/** Rates, errors and durations over time, from the store or from Prometheus. */
export type RedMetrics = Pick<
  MetricsReader,
  "getCallRates" | "getErrorRates" | "getLatencies" | "getRankedRates"
>;
