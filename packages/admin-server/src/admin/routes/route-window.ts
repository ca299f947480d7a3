import { middleOfStep, type RouteReading } from "http-engine/route-figures";

/** Recent requests of one route in all threads. */
export interface RouteTraffic {
  /** Number of requests per second. */
  readonly perSecond: number;
  /** Number of failed requests per second. */
  readonly errorsPerSecond: number;
  /** Number of measured requests. */
  readonly timed: number;
  /** 95th percentile in milliseconds; undefined for fewer than {@link leastTimed} requests. */
  readonly p95Ms: number | undefined;
}

/** Minimum number of requests for a meaningful 95th percentile. */
export const leastTimed = 20;
/** Minimum milliseconds between two stored readings. */
const leastApartMs = 1_000;
/** Time in milliseconds for which readings are kept, which is the longest period for the results. */
const longestMs = 30_000;

/** The counters of all routes in all threads at one time. */
interface Reading {
  readonly atMs: number;
  /** Route readings by thread, then by route id. */
  readonly threads: readonly ReadonlyMap<number, RouteReading>[];
}

/** Counts for one route in all threads. */
interface Sum {
  taken: number;
  failed: number;
  readonly times: Float64Array;
}

/** Number of buckets of the time histogram; all threads use the same buckets. */
const steps = 120;

/** The 95th percentile of a histogram. @returns undefined if it has too few requests */
function p95Of(times: Float64Array, timed: number): number | undefined {
  if (timed < leastTimed) {
    return undefined;
  }
  let left = Math.ceil(timed * 0.95);
  for (const [step, count] of times.entries()) {
    left -= count;
    if (left <= 0) {
      return middleOfStep(step);
    }
  }
  return undefined;
}

/** Keeps the readings of the last half minute while a client polls, and computes the traffic in this period. */
export class RouteWindow {
  /** Readings of the last half minute, oldest first. */
  #readings: Reading[] = [];

  /**
   * Takes a reading.
   * @param nowMs time on the clock of `performance.now()`
   * @returns the traffic since the oldest kept reading, by route key, and the length of the period; undefined at the
   * first reading, and in the half second after it
   */
  take(threads: readonly (readonly RouteReading[])[], nowMs: number): Map<string, RouteTraffic> | undefined {
    const reading: Reading = {
      atMs: nowMs,
      threads: threads.map((routes) => new Map(routes.map((route) => [route.id, route]))),
    };
    this.#readings = this.#readings.filter(({ atMs }) => nowMs - atMs <= longestMs);
    const oldest = this.#readings[0];
    const last = this.#readings.at(-1);
    if (last === undefined || nowMs - last.atMs >= leastApartMs) {
      this.#readings.push(reading);
    }
    const seconds = oldest === undefined ? 0 : (nowMs - oldest.atMs) / 1_000;
    return oldest === undefined || seconds < leastApartMs / 2_000
      ? undefined
      : RouteWindow.#between(oldest, reading, seconds);
  }

  /** Traffic between two readings. @param seconds time between the readings */
  static #between(then: Reading, now: Reading, seconds: number): Map<string, RouteTraffic> {
    const sums = new Map<string, Sum>();
    for (const [thread, routes] of now.threads.entries()) {
      for (const route of routes.values()) {
        const sum = sums.get(route.path) ?? { taken: 0, failed: 0, times: new Float64Array(steps) };
        sums.set(route.path, sum);
        const known = then.threads[thread]?.get(route.id);
        // A restarted thread starts counting from zero, and uses ids again.
        const before = known !== undefined && known.taken <= route.taken ? known : undefined;
        sum.taken += route.taken - (before?.taken ?? 0);
        sum.failed += Math.max(0, route.failed - (before?.failed ?? 0));
        for (const [step, count] of route.times.entries()) {
          (sum.times[step] as number) += Math.max(0, count - (before?.times[step] ?? 0));
        }
      }
    }
    return new Map(
      [...sums].map(([path, { taken, failed, times }]) => {
        const timed = times.reduce((sum, count) => sum + count, 0);
        return [
          path,
          {
            perSecond: taken / seconds,
            errorsPerSecond: failed / seconds,
            timed,
            p95Ms: p95Of(times, timed),
          },
        ];
      }),
    );
  }
}
