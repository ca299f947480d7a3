import { middleOfStep, type RouteReading } from "http-engine/route-figures";

/** Recent requests of one route, over all threads. */
export interface RouteTraffic {
  /** Requests a second. */
  readonly perSecond: number;
  /** Requests a second that failed. */
  readonly errorsPerSecond: number;
  /** Requests whose time was taken. */
  readonly timed: number;
  /** Undefined where fewer than {@link leastTimed} requests would speak for it. */
  readonly p95Ms: number | undefined;
}

/** Fewer requests than this have no 95th percentile worth showing. */
export const leastTimed = 20;
/** Milliseconds between two readings that are kept. */
const leastApartMs = 1_000;
/** Milliseconds that a reading is kept, and so the longest time that figures are for. */
const longestMs = 30_000;

/** All routes of all threads at one time. */
interface Reading {
  readonly atMs: number;
  /** By thread, then by the id of a route. */
  readonly threads: readonly ReadonlyMap<number, RouteReading>[];
}

/** Counts of one route, over all threads. */
interface Sum {
  taken: number;
  failed: number;
  readonly times: Float64Array;
}

/** Steps of the histogram of times; threads count in the same steps. */
const steps = 120;

/** The 95th percentile of a histogram. @returns undefined with too few requests */
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

/** Keeps the readings of the last half minute while a client polls, and computes the traffic between them. */
export class RouteWindow {
  /** Readings of the last half minute, the oldest first. */
  #readings: Reading[] = [];

  /**
   * Takes a reading.
   * @param nowMs as of `performance.now()`
   * @returns the traffic since the oldest reading that is kept, by place of the route, and how long that is; undefined at
   *   the first reading
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
        // A restarted thread counts from zero and reuses ids.
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
