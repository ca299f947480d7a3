import { describe, expect, test } from "vitest";
import { presentParts, splitSlice } from "./time-slices.ts";

const second = 1_000_000_000n;
const minute = 60n * second;
const now = 1_000_000n * minute;

/** Formats the bounds of the parts in seconds before now. */
function parts(min: bigint | undefined, max: bigint | undefined): string {
  const seconds = (bound: bigint | undefined) => (bound === undefined ? "∞" : String((now - bound) / second));
  const split = splitSlice(
    {
      ...(min === undefined ? {} : { startTimeMinUnixNano: min }),
      ...(max === undefined ? {} : { startTimeMaxUnixNano: max }),
    },
    now,
  );
  return split === undefined
    ? "whole"
    : split
        .map(({ startTimeMinUnixNano: from, startTimeMaxUnixNano: to }) => `${seconds(from)}..${seconds(to)}`)
        .join(" ");
}

describe("splitSlice", () => {
  test.each([
    ["four hours until now", now - 240n * minute, now, "900..0 14400..900"],
    ["four hours of yesterday", now - 1_680n * minute, now - 1_440n * minute, "87300..86400 100800..87300"],
    ["a quarter of an hour, at whole minutes", now - 16n * minute, now - minute, "120..60 960..120"],
    ["the present minute", now - minute, undefined, "3..∞ 60..3"],
    ["some seconds", now - 4n * second, now, "0..0 4..0"],
    ["a second", now - second, now, "whole"],
    ["a minute of yesterday", now - 1_441n * minute, now - 1_440n * minute, "whole"],
    ["all time", undefined, now, "whole"],
    ["nothing", now, now - minute, "whole"],
  ])("%s", (_, min, max, expected) => {
    expect(parts(min, max)).toBe(expected);
  });

  test("leaves nothing out, and has nothing twice", () => {
    const slice = { startTimeMinUnixNano: now - 100n * minute, startTimeMaxUnixNano: now };
    const [newer, older] = splitSlice(slice, now) ?? [];
    expect(newer?.startTimeMaxUnixNano).toBe(now);
    expect(older?.startTimeMaxUnixNano).toBe((newer?.startTimeMinUnixNano ?? 0n) - 1n);
    expect(older?.startTimeMinUnixNano).toBe(slice.startTimeMinUnixNano);
  });
});

describe("presentParts", () => {
  test("cuts the present minute, newest first, and leaves nothing out", () => {
    const slice = { startTimeMinUnixNano: now - 80n * second };
    expect(presentParts(slice, now)).toEqual([
      { startTimeMinUnixNano: now - 5n * second },
      { startTimeMinUnixNano: now - 20n * second, startTimeMaxUnixNano: now - 5n * second - 1n },
      { startTimeMinUnixNano: now - 80n * second, startTimeMaxUnixNano: now - 20n * second - 1n },
    ]);
    expect(presentParts({ ...slice, startTimeMaxUnixNano: now + minute }, now)?.[0]).toEqual({
      startTimeMinUnixNano: now - 5n * second,
      startTimeMaxUnixNano: now + minute,
    });
  });

  test.each([
    ["a minute of an hour ago", now - 61n * minute, now - 60n * minute],
    ["some seconds", now - 20n * second, undefined],
    ["all time", undefined, undefined],
  ])("is nothing for %s", (_, min, max) => {
    const slice = {
      ...(min === undefined ? {} : { startTimeMinUnixNano: min }),
      ...(max === undefined ? {} : { startTimeMaxUnixNano: max }),
    };
    expect(presentParts(slice, now)).toBeUndefined();
  });
});
