import type { CallCount } from "storage/api";
import { type Counting, countDuration, counterOf, noDurations } from "./growing-counters.ts";

/** Of one tenant: pairs of services. */
const maxCounters = 10_000;

/** Bounds of the buckets, milliseconds, as the service graphs of Tempo's metrics-generator have them by default. */
export const callBoundsMs: readonly number[] = Array.from({ length: 8 }, (_, power) => 100 * 2 ** power);

/** What has been counted of one service's calls of another. */
export interface CallCounter {
  readonly client: string;
  readonly server: string;
  /** Whether a message lies between the two. */
  readonly isMessage: boolean;
  calls: number;
  failed: number;
  /** Of the called spans; off by at most a tenth. */
  durationMs: number;
  /** Calls that took no longer than each bound and longer than the one before. */
  readonly buckets: number[];
}

/** Calls between services. */
export const callCounting: Counting<CallCount, CallCounter> = {
  rows: (store, minutes, options) => store.getCallCounts(minutes, options),
  add(counters, { parent, child, spanKind, failed, durationNano, calls }) {
    const isMessage = spanKind === "consumer";
    const counter = counterOf(counters, JSON.stringify([parent, child, isMessage]), {
      max: maxCounters,
      what: "calls between services",
      make: () => ({
        client: parent,
        server: child,
        isMessage,
        calls: 0,
        failed: 0,
        durationMs: 0,
        buckets: noDurations(callBoundsMs),
      }),
    });
    const durationMs = durationNano / 1e6;
    counter.calls += calls;
    counter.failed += failed ? calls : 0;
    counter.durationMs += durationMs * calls;
    countDuration(counter.buckets, callBoundsMs, durationMs, calls);
  },
};
