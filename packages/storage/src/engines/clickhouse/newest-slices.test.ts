import { describe, expect, it } from "vitest";
import { newestSlices } from "./newest-slices.ts";

const second = 1_000_000_000n;
const now = 1_000_000n * second;

/** Bounds in seconds before now. */
function slices(min?: bigint, max?: bigint): string {
  const seconds = (bound: bigint | undefined) => (bound === undefined ? "∞" : String((now - bound) / second));
  const slice = {
    ...(min === undefined ? {} : { startTimeMinUnixNano: min }),
    ...(max === undefined ? {} : { startTimeMaxUnixNano: max }),
  };
  return newestSlices(slice, now)
    .map(({ startTimeMinUnixNano: from, startTimeMaxUnixNano: to }) => `${seconds(from)}..${seconds(to)}`)
    .join(" ");
}

describe("newestSlices", () => {
  it.each([
    ["a minute until now", now - 60n * second, now, "4..0 16..4 60..16"],
    ["a minute without an end", now - 60n * second, undefined, "4..∞ 16..4 60..16"],
    ["everything", undefined, undefined, "4..∞ 16..4 ∞..16"],
    ["ten seconds", now - 10n * second, undefined, "4..∞ 10..4"],
    ["a second", now - second, undefined, "1..∞"],
    ["a minute of yesterday", now - 86_460n * second, now - 86_400n * second, "86460..86400"],
  ])("%s", (_, min, max, expected) => {
    expect(slices(min, max)).toBe(expected);
  });

  it("leaves nothing out, and has nothing twice", () => {
    const all = newestSlices({ startTimeMinUnixNano: now - 60n * second, startTimeMaxUnixNano: now }, now);
    expect(all.map(({ startTimeMaxUnixNano }) => startTimeMaxUnixNano)).toEqual([
      now,
      ...all.slice(0, -1).map(({ startTimeMinUnixNano = 0n }) => startTimeMinUnixNano - 1n),
    ]);
    expect(all.at(-1)?.startTimeMinUnixNano).toBe(now - 60n * second);
  });
});
