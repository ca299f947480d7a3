/** Latest durations of a kind from which its 95th percentile is computed. */
const keptDurations = 200;
/** Number of calls between two computations of the percentile. */
const everyCalls = 20;
/** With fewer durations the percentile is unknown. */
const leastDurations = 20;

export interface HedgeLimits {
  /** Wait before enough calls of a kind were timed, in milliseconds. */
  readonly firstMs: number;
  /** Shortest wait before a second server is tried, in milliseconds. */
  readonly leastMs: number;
  /** The wait is this factor times the 95th percentile of the kind's times. */
  readonly factor: number;
  /** Second calls for each call: 0.1 is one in ten. */
  readonly share: number;
  /** Second calls that may follow each other at once after a time without any. */
  readonly burst: number;
}

/** Reads: a hung server of four makes a quarter of them wait until it is found, which takes 3 s. */
export const readHedges: HedgeLimits = { firstMs: 1_000, leastMs: 20, factor: 1, share: 0.1, burst: 20 };

/**
 * Inserts: a second insert costs the servers as much as the first, so it waits until the first is far later than
 * usual.
 */
export const insertHedges: HedgeLimits = { firstMs: 3_000, leastMs: 1_500, factor: 2, share: 0.05, burst: 5 };

/**
 * Longest wait in milliseconds, whatever the percentile is. Without it, a hung server in an overloaded
 * cluster would cost as much as the slowest calls.
 */
const longestMs = 5_000;

interface Kind {
  /** The newest durations, in a ring. */
  readonly durations: Float64Array;
  /** Calls that were timed. */
  count: number;
  /** 95th percentile; undefined until enough calls were timed. */
  p95Ms: number | undefined;
}

/**
 * Decides when a waiting call is also sent to a second server: after the 95th percentile of its kind. The
 * share of such calls is limited, so that a slow cluster does not get twice the load.
 */
export class HedgePace {
  readonly #limits: HedgeLimits;
  readonly #kinds = new Map<string, Kind>();
  #tokens: number;

  constructor(limits: HedgeLimits) {
    this.#limits = limits;
    this.#tokens = limits.burst;
  }

  /** A call begins. @returns milliseconds after which a second server may be tried */
  begin(kind: string): number {
    const { share, burst, firstMs, leastMs, factor } = this.#limits;
    this.#tokens = Math.min(burst, this.#tokens + share);
    const p95Ms = this.#kinds.get(kind)?.p95Ms;
    return p95Ms === undefined ? firstMs : Math.min(longestMs, Math.max(leastMs, factor * p95Ms));
  }

  /** A server has answered. */
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

  /** @returns whether one more second call is within the share */
  take(): boolean {
    if (this.#tokens < 1) {
      return false;
    }
    this.#tokens--;
    return true;
  }
}
