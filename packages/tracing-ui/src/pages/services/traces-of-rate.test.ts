import { expect, test } from "vitest";
import { searchAddress } from "../../searches/search-address.ts";
import { tracesOfCell, tracesOfStep } from "./traces-of-rate.ts";

const row = {
  ...{ service: "pay", operation: "", calls: [], errors: [], p50: [], p95: [], p99: [] },
  whole: { calls: 1, errors: 0.1, p50: 1_000, p95: 20_000.4, p99: 0 },
};
const times = [120_000, 180_000, 210_000];

test.each([
  ["calls", {}],
  ["errors", { tags: "error=true" }],
  ["p95", { minDuration: "18000us" }],
  ["p99", { minDuration: "1us" }],
] as const)("the cell %s leads to its traces", (column, more) => {
  expect(tracesOfCell(row, column, "3h")).toEqual({ service: "pay", lookback: "3h", ...more });
  expect(tracesOfCell({ ...row, operation: "Charge" }, column, "3h").operation).toBe("Charge");
});

test.each([
  [0, 60_000_000, 120_000_000],
  [1, 120_000_000, 180_000_000],
  // The end can cut the last step.
  [2, 180_000_000, 210_000_000],
])("step %i is searched from %i to %i, as an address of the search takes it", (at, start, end) => {
  const search = tracesOfStep(row, times, at, true);
  expect(searchAddress.parse(search)).toMatchObject({ lookback: "custom", start, end, tags: "error=true" });
});
