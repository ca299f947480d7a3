import type { AskedTime, MetricsQuery, TraceQuery } from "storage/api";

/** When the spans start that a search asks for. */
export function timeOf({
  startTimeMinUnixNano,
  startTimeMaxUnixNano,
}: Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">): AskedTime {
  return { startUnixNano: startTimeMinUnixNano, endUnixNano: startTimeMaxUnixNano };
}

/** When the spans start that points of metrics look at. */
export function timeOfMetrics({ startUnixMs, endUnixMs, ratePerMs }: MetricsQuery): AskedTime {
  const nano = (ms: number) => BigInt(Math.floor(ms)) * 1_000_000n;
  return { startUnixNano: nano(startUnixMs - ratePerMs - 60_000), endUnixNano: nano(endUnixMs) };
}
