import fc from "fast-check";
import { expect, test } from "vitest";
import { traceOf } from "../../../testing/trace-of.ts";
import { groupSpans } from "../../../trace/span-groups.ts";
import { flameLayout } from "./flame-layout.ts";

type Rows = Parameters<typeof traceOf>[0];

/** Returns names, levels and positions of boxes. */
function laidOut(rows: Rows, focus: string, least: number) {
  const { groups } = groupSpans(traceOf(rows));
  const at = groups.findIndex(({ operation }) => operation === focus);
  const { boxes, left } = flameLayout(groups, at, least);
  return { boxes: boxes.map((box) => [groups[box.group]?.operation, box.level, box.left, box.width]), left };
}

const shop: Rows = [
  ["root", undefined, 0, 100, "GET /"],
  ["a", "root", 0, 20, "small"],
  ["b", "root", 20, 60, "large"],
  ["c", "b", 20, 30, "below"],
];

test("each box is as wide as the self times at and below it, the widest first", () => {
  expect(laidOut(shop, "", 0.01)).toEqual({
    boxes: [
      ["GET /", 0, 0, 1],
      ["large", 1, 0, 0.6],
      ["small", 1, 0.6, 0.2],
      ["below", 2, 0, 0.3],
    ],
    left: 0,
  });
});

test("a group in focus takes the whole width below its ancestors", () => {
  expect(laidOut(shop, "large", 0.01).boxes).toEqual([
    ["GET /", 0, 0, 1],
    ["large", 1, 0, 1],
    ["below", 2, 0, 0.5],
  ]);
});

test("a span of 0 µs has a box beside siblings that take all of the time", () => {
  const rows: Rows = [
    ["root", undefined, 0, 100, "GET /"],
    ["a", "root", 0, 100, "all"],
    ["b", "root", 50, 0, "mark"],
    ["c", "b", 50, 0, "below"],
  ];
  const expected = [
    ["GET /", 0, 0, 1],
    ["all", 1, 0, 0.75],
    ["mark", 1, 0.75, 0.25],
    ["below", 2, 0.75, 0.25],
  ];
  expect(laidOut(rows, "", 0.25)).toEqual({ boxes: expected, left: 0 });
});

test("a trace of 0 µs has all its boxes", () => {
  const rows: Rows = [
    ["root", undefined, 0, 0, "GET /"],
    ["a", "root", 0, 0, "a"],
    ["b", "root", 0, 0, "b"],
  ];
  expect(laidOut(rows, "", 0.1).boxes).toEqual([
    ["GET /", 0, 0, 1],
    ["a", 1, 0, 0.5],
    ["b", 1, 0.5, 0.5],
  ]);
});

test("what finds no room is counted", () => {
  expect(laidOut(shop, "", 0.5)).toEqual({
    boxes: [
      ["GET /", 0, 0, 1],
      ["large", 1, 0, 0.6],
      ["below", 2, 0, 0.5],
    ],
    left: 1,
  });
});

test("boxes lie within the one above them and beside each other, and each group is drawn or counted", () => {
  const durations = fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 0, max: 1_000 })), { maxLength: 40 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.003, 0.1, 0.4), (spans, least) => {
      const rows: Rows = [
        ["0", undefined, 0, 1_000, "0"],
        ...spans.map(([parent, us], at): Rows[number] => {
          return [String(at + 1), String(Math.min(parent, at)), 0, us, String(at + 1)];
        }),
      ];
      const { groups } = groupSpans(traceOf(rows));
      const { boxes, left } = flameLayout(groups, -1, least);
      expect(boxes.length + left).toBe(groups.length);
      const ends = new Map<number, number>();
      for (const box of boxes) {
        const above = boxes.find(({ group }) => group === groups[box.group]?.parent) ?? { left: 0, width: 1 };
        const parent = groups[box.group]?.parent ?? -1;
        expect(box.left).toBeGreaterThanOrEqual((ends.get(parent) ?? above.left) - 1e-9);
        ends.set(parent, box.left + box.width);
        expect(box.left + box.width).toBeLessThanOrEqual(above.left + above.width + 1e-9);
        expect(box.width).toBeGreaterThanOrEqual(least * 0.75 - 1e-9);
      }
    }),
  );
});
