import { expect, test } from "vitest";
import { parseSelection, selectedDurations, selectionText } from "./selection.ts";

const selection = { startUs: 1_795_278_060_000_000, endUs: 1_795_278_090_000_000, fromRow: 20, toRow: 22 };

test("a selection goes through the address", () => {
  expect(parseSelection(selectionText(selection))).toEqual(selection);
});

test.each([undefined, "", "1-2-3", "2-1-3-4", "1-2-4-3", "1-2-3-64", "a-b-c-d", "1-2-3-4-5"])(
  "%s is no selection",
  (text) => {
    expect(parseSelection(text)).toBeUndefined();
  },
);

test.each([
  [{}, { minDuration: "1048576ns", maxDuration: "8388607ns" }],
  [
    { minDuration: "1us", maxDuration: "1s" },
    { minDuration: "1048576ns", maxDuration: "8388607ns" },
  ],
  [
    { minDuration: "2ms", maxDuration: "5ms" },
    { minDuration: "2ms", maxDuration: "5ms" },
  ],
])("durations of rows 20 to 22 within %j", (bounds, expected) => {
  expect(selectedDurations(selection, bounds)).toEqual(expected);
});

test("the first row begins at nothing", () => {
  expect(selectedDurations({ ...selection, fromRow: 0 }, {}).minDuration).toBeUndefined();
});
