import type { MetricsReader } from "storage/api";

/** Rates, errors and durations over time, which Prometheus has as well as the store. */
export type RedMetrics = Pick<
  MetricsReader,
  "getCallRates" | "getErrorRates" | "getLatencies" | "getRankedRates"
>;
