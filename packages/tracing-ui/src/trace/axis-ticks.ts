import { formatDuration } from "ui-kit/format/format-duration.ts";
import type { IdleGap } from "./idle-gaps.ts";
import { tickText, timeTicks } from "./time-ticks.ts";

/** A labelled point of a time axis. */
export interface AxisTick {
  /** Microseconds after the start of the drawn trace. */
  us: number;
  /** The label: `20 ms`, or `+20 ms` after a folded gap. */
  text: string;
}

/**
 * The points of a time axis with folded idle gaps. After a gap, time is counted from the gap's end, with a plus sign:
 * readers want the time since the trace continued.
 * @param most approximate number of points that fit; at least 1
 */
export function axisTicks(
  { fromUs, toUs }: { fromUs: number; toUs: number },
  most: number,
  gaps: readonly IdleGap[],
): AxisTick[] {
  const ticks: AxisTick[] = [];
  for (let part = 0; part <= gaps.length; part += 1) {
    const beginUs = part === 0 ? 0 : (gaps[part - 1]?.toUs ?? 0);
    const first = Math.max(fromUs, beginUs);
    const last = Math.min(toUs, gaps[part]?.fromUs ?? toUs);
    const fit = Math.floor((most * (last - first)) / (toUs - fromUs));
    if (last <= first || (fit < 1 && gaps.length > 0)) {
      continue;
    }
    for (const us of timeTicks(first - beginUs, last - beginUs, fit)) {
      const text = tickText(us, formatDuration(us));
      ticks.push({ us: beginUs + us, text: part === 0 ? text : `+${text}` });
    }
  }
  return ticks;
}
