import type { SpanSum } from "./count-ring.ts";
import { allowedShare, type Objective } from "./objective.ts";
import type { ObjectiveCounts } from "./objective-counts.ts";

/** Windows of burn rates, shortest first. */
export const burnWindows = [
  { name: "5m", minutes: 5 },
  { name: "30m", minutes: 30 },
  { name: "1h", minutes: 60 },
  { name: "6h", minutes: 360 },
  { name: "3d", minutes: 4_320 },
] as const;

/** Name of a window of burn rates. */
export type BurnWindow = (typeof burnWindows)[number]["name"];

/** How urgent an alert is: `page` wakes people, `ticket` waits for the morning. */
export type Severity = "page" | "ticket";

/** A pair of windows. An alert fires while the burn rate is above the factor in both. */
export interface BurnRule {
  readonly severity: Severity;
  /** Long window: a high burn rate in it means that much of the budget is spent. */
  readonly long: BurnWindow;
  /** Short window: a high burn rate in it means that the fault still lasts. */
  readonly short: BurnWindow;
  /** Burn rate; 1 spends the budget in exactly the objective's window. */
  readonly factor: number;
}

/** Pairs of windows. Source: The Site Reliability Workbook, chapter 5, table 5-8 */
export const burnRules: readonly BurnRule[] = [
  { severity: "page", long: "1h", short: "5m", factor: 14.4 },
  { severity: "page", long: "6h", short: "30m", factor: 6 },
  { severity: "ticket", long: "3d", short: "6h", factor: 1 },
];

/** True when a window in which all spans are bad has a burn rate above the factor. */
export function canFire({ factor }: BurnRule, target: number): boolean {
  return 1 / allowedShare(target) > factor;
}

/** Spans and burn rate of one window. */
export interface WindowBurn extends SpanSum {
  /** Speed at which the budget is spent; 1 spends all of it in the objective's window. Undefined without spans. */
  readonly rate: number | undefined;
}

/** Speed at which these spans spend the budget; undefined without spans. */
export function burnRate({ total, bad }: SpanSum, target: number): number | undefined {
  return total > 0 ? bad / total / allowedShare(target) : undefined;
}

/** Burn rates by window; a window that is not completely counted is absent. */
export function burnsOf(counts: ObjectiveCounts, target: number): ReadonlyMap<BurnWindow, WindowBurn> {
  const burns = new Map<BurnWindow, WindowBurn>();
  for (const { name, minutes } of burnWindows) {
    const sum = counts.last(minutes);
    if (sum !== undefined) {
      burns.set(name, { ...sum, rate: burnRate(sum, target) });
    }
  }
  return burns;
}

/**
 * True when a rule fires.
 * @returns undefined while a window is not completely counted
 */
export function fires(
  { long, short, factor }: BurnRule,
  burns: ReadonlyMap<BurnWindow, WindowBurn>,
  { minBad }: Pick<Objective, "minBad">,
): boolean | undefined {
  const [ofLong, ofShort] = [burns.get(long), burns.get(short)];
  if (ofLong === undefined || ofShort === undefined) {
    return undefined;
  }
  return (ofLong.rate ?? 0) > factor && (ofShort.rate ?? 0) > factor && ofLong.bad >= minBad;
}
