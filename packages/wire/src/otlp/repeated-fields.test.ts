import { expect, test } from "vitest";
import { FieldList } from "./field-list.ts";
import { RepeatedFields } from "./repeated-fields.ts";

/** The bytes of some fields in one buffer, separated by other bytes. */
function fieldsOf(...texts: string[]): { source: Buffer; fields: FieldList } {
  const source = Buffer.from(texts.join("/"));
  const fields = new FieldList();
  let start = 0;
  for (const text of texts) {
    fields.addPiece(start, start + text.length);
    start += text.length + 1;
  }
  return { source, fields };
}

function keep(kept: RepeatedFields<number>, value: number, owner: string, ...texts: string[]): boolean {
  const { source, fields } = fieldsOf(...texts);
  expect(kept.find(source, fields, owner)).toBeUndefined();
  return kept.keep(source, fields, owner, value);
}
function find(kept: RepeatedFields<number>, owner: string, ...texts: string[]): number | undefined {
  const { source, fields } = fieldsOf(...texts);
  return kept.find(source, fields, owner);
}

test("finds each of the last by all of its bytes and its owner, in any order", () => {
  const kept = new RepeatedFields<number>(4);
  keep(kept, 1, "a", "cart", "1.0");
  keep(kept, 2, "b", "cart", "1.0");
  keep(kept, 3, "a", "card", "1.0");
  keep(kept, 4, "a");
  for (let round = 0; round < 2; round++) {
    expect(find(kept, "a")).toBe(4);
    expect(find(kept, "a", "card", "1.0")).toBe(3);
    expect(find(kept, "a", "cart", "1.0")).toBe(1);
    expect(find(kept, "b", "cart", "1.0")).toBe(2);
    expect(find(kept, "a", "cart", "1.1")).toBeUndefined();
    expect(find(kept, "a", "cart")).toBeUndefined();
    expect(find(kept, "c", "cart", "1.0")).toBeUndefined();
  }
});

test("gives up the oldest for a new one, and its memory where that is enough", () => {
  const kept = new RepeatedFields<number>(2);
  keep(kept, 1, "", "first");
  keep(kept, 2, "", "second");
  keep(kept, 3, "", "3");
  expect(find(kept, "", "first")).toBeUndefined();
  expect(find(kept, "", "second")).toBe(2);
  expect(find(kept, "", "3")).toBe(3);
  keep(kept, 4, "", "the fourth, longer than all");
  expect(find(kept, "", "second")).toBeUndefined();
  expect(find(kept, "", "3")).toBe(3);
  expect(find(kept, "", "the fourth, longer than all")).toBe(4);
});

test("keeps nothing long", () => {
  const kept = new RepeatedFields<number>(2);
  expect(keep(kept, 1, "", "x".repeat(8 * 1024))).toBe(true);
  expect(keep(kept, 2, "", "x".repeat(8 * 1024 + 1))).toBe(false);
  expect(find(kept, "", "x".repeat(8 * 1024))).toBe(1);
  expect(find(kept, "", "x".repeat(8 * 1024 + 1))).toBeUndefined();
});
