import { expect, test } from "vitest";
import { fit as fitted } from "./use-pan-zoom.ts";

const view = { width: 1_000, height: 600 };

test.each([
  ["fits in the middle", { width: 500, height: 300 }, undefined, { x: 212.5, y: 127.5, scale: 1.15 }],
  ["is made to fit", { width: 1_600, height: 300 }, undefined, { x: 0, y: 206.25, scale: 0.625 }],
  ["is too large: its left", { width: 4_000, height: 300 }, undefined, { x: 0, y: 225, scale: 0.5 }],
  [
    "is too large: the focus",
    { width: 4_000, height: 2_000 },
    { x: 2_000, y: 800 },
    { x: -500, y: -100, scale: 0.5 },
  ],
  [
    "is too large: a focus at the edge",
    { width: 4_000, height: 300 },
    { x: 3_900, y: 10 },
    { x: -1_000, y: 225, scale: 0.5 },
  ],
])("a drawing that %s", (_, drawing, at, expected) => {
  expect(fitted(drawing, view, at)).toEqual(expected);
});
