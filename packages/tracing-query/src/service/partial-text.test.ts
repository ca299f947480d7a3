import type { PartialReason } from "storage/api";
import { expect, test } from "vitest";
import { partialHeaderValue, partialText } from "./partial-text.ts";

const reason = (name: string, length = 1): PartialReason => ({
  kind: "part-damaged",
  name,
  text: `Teil ${"ü".repeat(length)} fehlt`,
});

test("has a header of ASCII alone that reads as the reasons, and a sentence", () => {
  const partial = { reasons: [reason("a"), { ...reason("b"), startUnixMs: 1, endUnixMs: 2 }] };
  const value = partialHeaderValue(partial);
  expect(value).toMatch(/^[ -~]+$/);
  expect(JSON.parse(value)).toEqual(partial.reasons);
  expect(partialText(partial)).toBe("Teil ü fehlt; Teil ü fehlt");
});

test("is never longer than proxies take, and says how many reasons it leaves out", () => {
  const many = Array.from({ length: 40 }, (_, index) => reason(`part ${index}`, 20));
  const value = partialHeaderValue({ reasons: many });
  expect(value.length).toBeLessThanOrEqual(2_000);
  const shown = JSON.parse(value) as PartialReason[];
  expect(shown.slice(0, -1)).toEqual(many.slice(0, shown.length - 1));
  expect(shown.at(-1)?.text).toBe(`${40 - (shown.length - 1)} reasons more`);
  expect(JSON.parse(partialHeaderValue({ reasons: [reason("long", 9_000)] }))).toEqual([
    { kind: "part-damaged", name: "", text: "1 reasons more" },
  ]);
});
