import type { CallCount } from "storage/api";
import { type Counting, countDuration, counterOf, noDurations } from "./prometheus-counters.ts";

/** Maximum number of counters for one tenant. A pair of services has one for its calls, and one for its messages. */
const maxCounters = 10_000;

/** Bounds of the buckets in milliseconds: the defaults of the service graphs of Tempo's metrics-generator. */
export const callBoundsMs: readonly number[] = Array.from({ length: 8 }, (_, power) => 100 * 2 ** power);

/** Counts of one service's calls to another. */
export interface CallCounter {
  readonly client: string;
  readonly server: string;
  /** True: the call is a message, because the called span has the kind consumer. */
  readonly isMessage: boolean;
  calls: number;
  failed: number;
  /** Sum of the called spans' durations; accurate to a tenth. */
  durationMs: number;
  /** Number of calls in each bucket. A bucket's durations are above the previous bound and at most its own bound. */
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
