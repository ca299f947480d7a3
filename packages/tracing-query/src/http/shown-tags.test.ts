import { expect, test } from "vitest";
import type { Attribute } from "wire/model";
import { ShownTags } from "./shown-tags.ts";

const attribute = (number: number): Attribute => ({
  key: "k",
  value: { type: "int", value: BigInt(number) },
});

test("makes the tag of an attribute that comes again once, and has forgotten what came once long ago", () => {
  const tags = new ShownTags();
  const [often, once] = [attribute(1), attribute(2)];
  const first = tags.of(often);
  expect(first.json).toBe(',{"key":"k","type":"int64","value":1}');
  expect(tags.of(often)).toBe(first);
  const shownOnce = tags.of(once);
  for (let index = 0; index < 1_000; index++) {
    tags.of(attribute(index));
  }
  expect(tags.of(often)).toBe(first);
  expect(tags.of(once)).not.toBe(shownOnce);
  expect(tags.of(once)).toEqual(shownOnce);
});

test("holds no more than some thousand", () => {
  const tags = new ShownTags();
  const often = attribute(-1);
  const first = [tags.of(often), tags.of(often)][0];
  for (let index = 0; index < 5_000; index++) {
    const other = attribute(index);
    expect(tags.of(other)).toBe(tags.of(other));
  }
  expect(tags.of(often)).not.toBe(first);
});
