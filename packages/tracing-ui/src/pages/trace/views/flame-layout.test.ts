import { expect, test } from "vitest";
import { groupSpans } from "../../../trace/span-groups.ts";
import { traceOf } from "../../../trace/trace-of.ts";
import { flameLayout } from "./flame-layout.ts";

const { groups } = groupSpans(
  traceOf([
    ["root", undefined, 0, 100, "GET /"],
    ["a", "root", 0, 20, "small"],
    ["b", "root", 20, 60, "large"],
    ["c", "b", 20, 30, "below"],
  ]),
);
const names = (focus: number, least = 0.01) =>
  flameLayout(groups, focus, least).map(({ group, level, left, width }) => [
    groups[group]?.operation,
    level,
    left,
    width,
  ]);

test("each box is as wide as the self times at and below it, the widest first", () => {
  expect(names(-1)).toEqual([
    ["GET /", 0, 0, 1],
    ["large", 1, 0, 0.6],
    ["small", 1, 0.6, 0.2],
    ["below", 2, 0, 0.3],
  ]);
});

test("a group in focus takes the whole width below its ancestors", () => {
  const large = groups.findIndex(({ operation }) => operation === "large");
  expect(names(large)).toEqual([
    ["GET /", 0, 0, 1],
    ["large", 1, 0, 1],
    ["below", 2, 0, 0.5],
  ]);
});

test("boxes that are too narrow are left out", () => {
  expect(names(-1, 0.5).map(([name]) => name)).toEqual(["GET /", "large"]);
});
