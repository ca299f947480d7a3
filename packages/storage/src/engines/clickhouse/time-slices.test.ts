import { describe, expect, test } from "vitest";
import { likelyPart, timeSlices } from "./time-slices.ts";

const minute = 60_000_000_000n;
const now = 1_000_000n * minute + 5n;

/** Formats the bounds of the slices in minutes before now, rounded up. */
function slices(min?: bigint, max?: bigint): string {
  const minutes = (bound: bigint | undefined) => (bound === undefined ? "∞" : String((now - bound) / minute));
  const query = {
    ...(min === undefined ? {} : { startTimeMinUnixNano: min }),
    ...(max === undefined ? {} : { startTimeMaxUnixNano: max }),
  };
  return [...timeSlices(query, now)]
    .map(({ startTimeMinUnixNano: from, startTimeMaxUnixNano: to }) => `${minutes(from)}..${minutes(to)}`)
    .join(" ");
}

describe("timeSlices", () => {
  test.each([
    ["everything", undefined, undefined, "1..∞ 16..1 256..16 4096..256 ∞..4096"],
    ["an hour until now", now - 60n * minute, now, "1..0 16..1 60..16"],
    ["a minute", now - minute, now, "1..0"],
    ["an hour long ago", now - 160n * minute, now - 100n * minute, "101..100 116..101 160..116"],
    ["until the future", now - 60n * minute, now + minute, "1..-1 16..1 60..16"],
    ["nothing", now, now - 60n * minute, "0..60"],
  ])("%s", (_, min, max, expected) => {
    expect(slices(min, max)).toBe(expected);
  });

  test("has none before the first nanosecond that there is", () => {
    const max = -(2n ** 63n) + 20n * minute;
    expect([...timeSlices({ startTimeMaxUnixNano: max }, now)]).toHaveLength(3);
    expect([...timeSlices({ startTimeMaxUnixNano: max }, now, 30n * minute)]).toEqual([
      { startTimeMaxUnixNano: max },
    ]);
  });

  test("leaves nothing out, and has nothing twice", () => {
    const all = [...timeSlices({ startTimeMinUnixNano: 7n, startTimeMaxUnixNano: now }, now)];
    expect(all.at(-1)?.startTimeMinUnixNano).toBe(7n);
    for (const [index, { startTimeMinUnixNano = 0n }] of all.slice(0, -1).entries()) {
      expect(all[index + 1]?.startTimeMaxUnixNano).toBe(startTimeMinUnixNano - 1n);
    }
  });
});

describe("likelyPart", () => {
  const quarter = { startTimeMinUnixNano: now - 16n * minute, startTimeMaxUnixNano: now - minute - 6n };
  /** Returns the minutes of the likely part. */
  const part = (found: number, wanted: number, slice = quarter, searched = minute) => {
    const parts = likelyPart(slice, searched, found, wanted);
    if (parts === undefined) {
      return undefined;
    }
    const [newer, older] = parts;
    const { startTimeMinUnixNano: from = 0n } = newer;
    expect([newer.startTimeMaxUnixNano, older.startTimeMaxUnixNano, older.startTimeMinUnixNano]).toEqual([
      ...[slice.startTimeMaxUnixNano, from - 1n, slice.startTimeMinUnixNano],
    ]);
    return Math.ceil(Number(quarter.startTimeMaxUnixNano - from) / 60e9);
  };

  test("is twice what should do, in whole minutes", () => {
    expect([part(19, 20), part(15, 20), part(10, 20), part(12, 20)]).toEqual([1, 1, 2, 2]);
  });

  test("is left whole where a part would be most of it, or nothing is known", () => {
    expect([part(0, 20), part(6, 20), part(1, 20)]).toEqual([undefined, undefined, undefined]);
    expect(likelyPart({ startTimeMaxUnixNano: now }, minute, 19, 20)).toBeUndefined();
    expect(likelyPart({ startTimeMinUnixNano: 0n }, minute, 19, 20)).toBeUndefined();
  });
});
