import type { TraceSummary } from "../../trace/summarise-trace.ts";

/** Position of a trace in the plot. */
export interface ScatterPoint {
  /** The trace of the point. */
  trace: TraceSummary;
  /** Distance from the left edge, 0 to 1. */
  x: number;
  /** Distance from the lower edge, 0 to 1. */
  y: number;
  /** Radius in pixels, 2.5 to 9, by the logarithm of the number of spans. */
  radius: number;
}

/**
 * Positions of the traces: time across, logarithm of the duration up. Small traces come last, so that none is
 * covered.
 */
export function scatterOf(results: readonly TraceSummary[]): {
  points: ScatterPoint[];
  /** The time range of the plot's width, microseconds since 1970. */
  startUs: number;
  endUs: number;
  /** Powers of ten within the plot, in microseconds, with their heights. */
  ticks: { us: number; y: number }[];
} {
  let [startUs, endUs, least, most] = [Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY, 1];
  for (const { startUs: at, durationUs } of results) {
    startUs = Math.min(startUs, at);
    endUs = Math.max(endUs, at);
    least = Math.min(least, Math.max(1, durationUs));
    most = Math.max(most, durationUs);
  }
  const roomUs = Math.max((endUs - startUs) * 0.02, 500_000);
  startUs -= roomUs;
  endUs += roomUs;
  const bottom = Math.log10(least) - 0.2;
  const height = Math.log10(most) + 0.2 - bottom;
  const yOf = (us: number) => (Math.log10(Math.max(1, us)) - bottom) / height;
  const points = results
    .map((trace) => ({
      trace,
      x: (trace.startUs - startUs) / (endUs - startUs),
      y: yOf(trace.durationUs),
      radius: Math.min(9, 2.5 + Math.log2(Math.max(1, trace.spans)) / 2),
    }))
    .sort((a, b) => b.radius - a.radius);
  const ticks: { us: number; y: number }[] = [];
  for (let us = 1; us <= most * 2; us *= 10) {
    const y = yOf(us);
    if (y >= 0.03 && y <= 0.97) {
      ticks.push({ us, y });
    }
  }
  return { points, startUs, endUs, ticks };
}
