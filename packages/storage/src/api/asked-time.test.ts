import { expect, test } from "vitest";
import { concerns, withinTime } from "./asked-time.ts";
import { type PartialReason, PartialReasons } from "./partial-answer.ts";
import type { ReadOptions } from "./span-reader.ts";

const damage: PartialReason = {
  kind: "part-damaged",
  name: "tracing.spans 20261126_5_5_0",
  text: "part 20261126_5_5_0 of tracing.spans is damaged",
  startUnixMs: 2_000,
  endUnixMs: 3_000,
};
const nano = (ms: number) => BigInt(ms) * 1_000_000n;

test.each([
  [0, 1_999, false],
  [0, 2_000, true],
  [2_500, 2_600, true],
  [3_000, 9_000, true],
  [3_001, 9_000, false],
  [undefined, 1_000, false],
  [undefined, undefined, true],
  [4_000, undefined, false],
])("spans from 2 to 3 s, asked from %s to %s ms: %s", (start, end, isMissing) => {
  const time = {
    startUnixNano: start === undefined ? undefined : nano(start),
    endUnixNano: end === undefined ? undefined : nano(end),
  };
  expect(concerns(damage, time)).toBe(isMissing);
  const reasons = new PartialReasons();
  withinTime<ReadOptions>({ onPartial: reasons.add }, time).onPartial?.(damage);
  expect(reasons.partial !== undefined).toBe(isMissing);
});

test("a reason without a time concerns every answer, and the last millisecond is a whole one", () => {
  const { startUnixMs: _start, endUnixMs: _end, ...always } = damage;
  expect(concerns(always, { startUnixNano: 1n, endUnixNano: 2n })).toBe(true);
  expect(concerns(damage, { startUnixNano: nano(3_000) + 999_999n })).toBe(true);
});

test("who cannot say that an answer is partial gets none", () => {
  const options = withinTime<ReadOptions>({}, { startUnixNano: nano(2_000) });
  expect(() => options.onPartial?.(damage)).toThrow("the answer would be partial: part 20261126_5_5_0");
  expect(() => withinTime<ReadOptions>({}, { startUnixNano: nano(9_000) }).onPartial?.(damage)).not.toThrow();
});
