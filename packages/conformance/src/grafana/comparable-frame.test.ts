import { expect, test } from "vitest";
import { comparableFrame } from "./comparable-frame.ts";

const corpus = { baseUnixNano: 1_795_273_200_000_000_000n, exports: [], traceIds: [] };
const frameOf = (order: readonly number[]) => ({
  schema: {
    name: "Traces",
    meta: { custom: { partial: false }, metrics: { inspectedBytes: 7 } },
    fields: [
      { name: "traceID", type: "string" },
      { name: "startTime", type: "time" },
      { name: "tags", type: "other" },
    ],
  },
  data: {
    values: [
      order.map((index) => `id ${index}`),
      order.map((index) => 1_795_273_200_000.5 + index),
      order.map(() => [{ key: "b" }, { key: "a", value: 0.1 + 0.2 }]),
    ],
  },
});

test("a frame becomes rows with named cells, without an order, its times told from the base", () => {
  const shown = comparableFrame(frameOf([2, 1]), corpus);
  expect(shown).toEqual({
    name: "Traces",
    meta: { custom: { partial: false } },
    fields: { traceID: { type: "string" }, startTime: { type: "time" }, tags: { type: "other" } },
    rows: [1, 2].map((index) => ({
      traceID: `id ${index}`,
      startTime: `base+${index + 0.5}ms`,
      tags: [{ key: "a", value: 0.3 }, { key: "b" }],
    })),
  });
  expect(comparableFrame(frameOf([1, 2]), corpus)).toEqual(shown);
});

test.each([
  [1_795_273_201, 1_795_273_201],
  ["1795273200000000001", "base+0ms"],
  ["number 1795273200000000", "base+0ms"],
  [1_795_273_199_000, "base+-1000ms"],
  ["f102", "f102"],
  [null, null],
])("%j is shown as %j", (value, shown) => {
  expect(comparableFrame(value, corpus)).toEqual(shown);
});
