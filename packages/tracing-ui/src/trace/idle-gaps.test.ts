import fc from "fast-check";
import { expect, test } from "vitest";
import { traceOf } from "../testing/trace-of.ts";
import { foldIdleGaps } from "./idle-gaps.ts";

test("time in which nothing ran is folded to a narrow band; spans keep their durations", () => {
  const { trace, gaps } = foldIdleGaps(
    traceOf([
      ["send", undefined, 0, 60],
      ["a", "send", 10, 20],
      ["receive", "send", 10_060, 40],
    ]),
  );
  expect(gaps).toEqual([{ fromUs: 60, toUs: 63, lengthUs: 10_000 }]);
  expect([...trace.offsetUs]).toEqual([0, 10, 63]);
  expect([...trace.spanUs]).toEqual([60, 20, 40]);
  expect(trace.durationUs).toBe(103);
});

test("short gaps, and time in which a parent waits, stay", () => {
  const waits = traceOf([
    ["root", undefined, 0, 10_000],
    ["a", "root", 0, 10],
    ["b", "root", 9_000, 10],
  ]);
  expect(foldIdleGaps(waits)).toEqual({ trace: waits, gaps: [] });
  const short = traceOf([
    ["a", undefined, 0, 100],
    ["b", undefined, 120, 100],
  ]);
  expect(foldIdleGaps(short).gaps).toEqual([]);
});

test("a trace of one moment, and one without spans, have no gaps", () => {
  expect(foldIdleGaps(traceOf([])).gaps).toEqual([]);
  expect(foldIdleGaps(traceOf([["a", undefined, 0, 0]])).gaps).toEqual([]);
});

test("whatever the trace: order by start stays, nothing gets longer, all within the drawn time", () => {
  const spans = fc.array(fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 500 })), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(spans, (drawn) => {
      const before = traceOf(drawn.map(([start, us], index) => [String(index), undefined, start, us]));
      const { trace } = foldIdleGaps(before);
      for (let span = 0; span < trace.spans.length; span += 1) {
        const end = (trace.offsetUs[span] as number) + (trace.spanUs[span] as number);
        expect(end).toBeLessThanOrEqual(trace.durationUs + 1e-6);
        expect(trace.offsetUs[span]).toBeLessThanOrEqual(before.offsetUs[span] as number);
        if (span > 0) {
          expect(trace.offsetUs[span]).toBeGreaterThanOrEqual(trace.offsetUs[span - 1] as number);
        }
      }
    }),
  );
});
