import { expect, test } from "vitest";
import { axisTicks } from "./axis-ticks.ts";

test("without gaps the axis counts from the start", () => {
  const ticks = axisTicks({ fromUs: 0, toUs: 400_000 }, 4, []);
  expect(ticks.map(({ text }) => text)).toEqual([
    "0",
    "100\u00a0ms",
    "200\u00a0ms",
    "300\u00a0ms",
    "400\u00a0ms",
  ]);
});

test("after a folded gap it counts from the gap's end, and within it there are no points", () => {
  const gap = { fromUs: 100, toUs: 110, lengthUs: 60_000_000 };
  const ticks = axisTicks({ fromUs: 0, toUs: 210 }, 4, [gap]);
  expect(ticks).toEqual([
    { us: 0, text: "0" },
    { us: 100, text: "100\u00a0µs" },
    { us: 110, text: "+0" },
    { us: 210, text: "+100\u00a0µs" },
  ]);
});
