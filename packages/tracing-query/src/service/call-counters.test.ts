import type { CallCount } from "storage/api";
import { expect, test } from "vitest";
import { type CallCounter, callBoundsMs, callCounting } from "./call-counters.ts";

const count: CallCount = {
  parent: "shop",
  child: "stock",
  spanKind: "server",
  failed: false,
  durationNano: 280e6,
  calls: 3,
};

test("calls of a pair add up; messages are apart", () => {
  const counters = new Map<string, CallCounter>();
  const add = (changes: Partial<CallCount>) => callCounting.add(counters, { ...count, ...changes });
  add({});
  add({ failed: true, calls: 2 });
  add({ spanKind: "unspecified", durationNano: 1148e9 });
  add({ spanKind: "consumer", durationNano: 1 });
  const shown = Array.from(counters.values(), ({ buckets, durationMs, ...counter }) => ({
    ...counter,
    seconds: Number((durationMs / 1_000).toFixed(1)),
    buckets: buckets.flatMap((calls, index) => (calls === 0 ? [] : [[callBoundsMs[index], calls]])),
  }));
  const pair = { client: "shop", server: "stock" };
  expect(shown).toEqual([
    {
      ...pair,
      isMessage: false,
      calls: 8,
      failed: 2,
      seconds: 3445.4,
      buckets: [
        [400, 5],
        [undefined, 3],
      ],
    },
    { ...pair, isMessage: true, calls: 3, failed: 0, seconds: 0, buckets: [[100, 3]] },
  ]);
});

test("too many pairs are refused", () => {
  const counters = new Map<string, CallCounter>();
  for (let index = 0; index < 10_000; index++) {
    callCounting.add(counters, { ...count, child: String(index) });
  }
  callCounting.add(counters, { ...count, child: "7" });
  expect(() => callCounting.add(counters, { ...count, child: "one more" })).toThrow(
    "there are more than 10000 series of calls between services to count",
  );
});
