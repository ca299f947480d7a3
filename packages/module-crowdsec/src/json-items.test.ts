import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonItems } from "./json-items.ts";

function itemsOf(text: string, cuts: readonly number[] = []): [string, unknown][] {
  const found: [string, unknown][] = [];
  const items = new JsonItems((list, item) => void found.push([list, item]));
  const bytes = Buffer.from(text);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of places) {
    items.push(bytes.subarray(from, to));
    from = to;
  }
  items.end();
  return found;
}

const item = fc.dictionary(
  fc.string({ unit: "grapheme" }),
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.object(),
  ),
);

test("items are those of JSON.parse, wherever chunks end", () => {
  fc.assert(
    fc.property(
      fc.record({ deleted: fc.option(fc.array(item)), new: fc.option(fc.array(item)) }),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.boolean(),
      (lists, cuts, isIndented) => {
        const text = JSON.stringify(lists, undefined, isIndented ? 2 : 0);
        const parsed = JSON.parse(text) as Record<string, unknown[] | null>;
        const expected = Object.entries(parsed).flatMap(([name, list]) =>
          (list ?? []).map((each) => [name, each]),
        );
        expect(itemsOf(text, cuts)).toEqual(expected);
      },
    ),
  );
});

test.each([
  ["nothing", "", "ends in the middle"],
  ["a cut list", '{"new": [{"a": 1}, {', "ends in the middle"],
  ["no JSON inside", '{"new": [{a}]}', "JSON"],
  ["braces that close twice", '{"new": []}}', "more closing"],
  ["an item without an end", `{"new": [{"a": "${"x".repeat(70_000)}`, "over the limit"],
  ["a name without an end", `{"${"x".repeat(100)}`, "over the limit"],
])("%s is refused", (_, text, message) => {
  expect(() => itemsOf(text)).toThrow(message);
});

test.each(['{"new": null, "deleted": null}', '{"message": "{[", "n": [1, [2], "{}"]}', "[]", "null[]"])(
  "%s has no items",
  (text) => {
    expect(itemsOf(text)).toEqual([]);
  },
);
