/** Number of latest durations of a kind from which the 95th percentile is computed. */
const keptDurations = 200;
/** The percentile is computed anew after this many calls. */
const everyCalls = 20;
/** Minimum number of durations for a percentile. */
const leastDurations = 20;

export interface HedgeLimits {
  /** Wait in milliseconds while too few calls of a kind were timed. */
  readonly firstMs: number;
  /** Shortest wait before a second server is tried, in milliseconds. */
  readonly leastMs: number;
  /** The wait is this factor times the 95th percentile of the kind's durations. */
  readonly factor: number;
  /** Largest share of second calls among all calls: 0.1 is one in ten. */
  readonly share: number;
  /** Number of second calls that may be made in a burst, after a period without second calls. */
  readonly burst: number;
}

/**
 * When a read is sent to a second server, and how often. If one of four servers hangs, a quarter of the reads wait
 * until the hang is detected after 3 s.
 */
export const readHedges: HedgeLimits = { firstMs: 1_000, leastMs: 20, factor: 1, share: 0.1, burst: 20 };

/**
 * When an insert is sent to a second server, and how often. A second insert costs as much as the first, so it is sent
 * only when the first takes far longer than usual.
 */
export const insertHedges: HedgeLimits = { firstMs: 3_000, leastMs: 1_500, factor: 2, share: 0.05, burst: 5 };

/**
 * Longest wait in milliseconds before a call is sent to a second server. Without this limit, a hung server in an
 * overloaded cluster would delay calls as long as the slowest calls.
 */
const longestMs = 5_000;

interface Kind {
  /** Ring buffer of the newest durations in milliseconds. */
  readonly durations: Float64Array;
  /** Number of timed calls. */
  count: number;
  /** 95th percentile; undefined until enough calls were timed. */
  p95Ms: number | undefined;
}

/**
 * Decides when a slow call is also sent to a second server. The wait depends on the 95th percentile of the durations of
 * its kind, see `HedgeLimits`. The share of second calls is limited, so that a slow cluster does not get twice the
 * load.
 */
export class HedgePace {
  readonly #limits: HedgeLimits;
  readonly #kinds = new Map<string, Kind>();
  #tokens: number;

  constructor(limits: HedgeLimits) {
    this.#limits = limits;
    this.#tokens = limits.burst;
  }

  /** Called when a call begins. @returns milliseconds after which a second server may be tried */
  begin(kind: string): number {
    const { share, burst, firstMs, leastMs, factor } = this.#limits;
    this.#tokens = Math.min(burst, this.#tokens + share);
    const p95Ms = this.#kinds.get(kind)?.p95Ms;
    return p95Ms === undefined ? firstMs : Math.min(longestMs, Math.max(leastMs, factor * p95Ms));
  }

  /** Called when a server has answered. @param ms duration of the call in milliseconds */
  answered(kind: string, ms: number): void {
    let known = this.#kinds.get(kind);
    if (known === undefined) {
      known = { durations: new Float64Array(keptDurations), count: 0, p95Ms: undefined };
      this.#kinds.set(kind, known);
    }
    known.durations[known.count++ % keptDurations] = ms;
    if (known.count < leastDurations || known.count % everyCalls !== 0) {
      return;
    }
    const sorted = known.durations.slice(0, Math.min(known.count, keptDurations)).sort();
    known.p95Ms = sorted[Math.floor(sorted.length * 0.95)];
  }

  /** @returns true when a second call is within the limits; the call is then counted */
  take(): boolean {
    if (this.#tokens < 1) {
      return false;
    }
    this.#tokens--;
    return true;
  }
}
