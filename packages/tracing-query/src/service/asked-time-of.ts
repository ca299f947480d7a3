import type { AskedTime, MetricsQuery, TraceQuery } from "storage/api";

/** The range of start times of the spans that a search can return. */
export function timeOf({
  startTimeMinUnixNano,
  startTimeMaxUnixNano,
}: Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">): AskedTime {
  return { startUnixNano: startTimeMinUnixNano, endUnixNano: startTimeMaxUnixNano };
}

/** The range of start times of the spans that the points of metrics cover. */
export function timeOfMetrics({ startUnixMs, endUnixMs, ratePerMs }: MetricsQuery): AskedTime {
  const nano = (ms: number) => BigInt(Math.floor(ms)) * 1_000_000n;
  return { startUnixNano: nano(startUnixMs - ratePerMs - 60_000), endUnixNano: nano(endUnixMs) };
}
