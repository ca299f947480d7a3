import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ancestorMark, mayHaveDescendant, soughtMark } from "./descendants.ts";

interface Row {
  readonly id: number;
  readonly parent: number;
  readonly mark: number;
}

const hex = (id: number) => id.toString(16).padStart(16, "0");
const textOf = (rows: readonly Row[]) =>
  rows.map(({ id, parent, mark }) => `${hex(id)}${hex(parent)}${mark}`).join("");

/** The result by the definition, for spans with distinct ids. */
function descends(rows: readonly Row[]): boolean {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return rows.some((row) => {
    if ((row.mark & soughtMark) === 0) {
      return false;
    }
    let above = row.parent === row.id ? undefined : byId.get(row.parent);
    for (let steps = 0; above !== undefined && steps <= rows.length; steps++) {
      if ((above.mark & ancestorMark) !== 0) {
        return true;
      }
      above = above.parent === above.id ? undefined : byId.get(above.parent);
    }
    return false;
  });
}

describe("mayHaveDescendant", () => {
  test("looks further up than the parent, and not down", () => {
    const chain = (top: number, bottom: number) => [
      ...[{ id: 1, parent: 0, mark: top }],
      ...[{ id: 2, parent: 1, mark: 0 }],
      ...[{ id: 3, parent: 2, mark: bottom }],
    ];
    expect(mayHaveDescendant(textOf(chain(ancestorMark, soughtMark)))).toBe(true);
    expect(mayHaveDescendant(textOf(chain(soughtMark, ancestorMark)))).toBe(false);
  });

  test("does not take a span for its own descendant", () => {
    const both = ancestorMark + soughtMark;
    expect(mayHaveDescendant(textOf([{ id: 1, parent: 1, mark: both }]))).toBe(false);
    expect(mayHaveDescendant(textOf([{ id: 1, parent: 0, mark: both }]))).toBe(false);
    expect(mayHaveDescendant("")).toBe(false);
  });

  test("says nothing against spans that share an id", () => {
    const twice = { id: 1, parent: 0, mark: 0 };
    expect(mayHaveDescendant(textOf([twice, twice]))).toBe(true);
  });

  test("is the definition, whatever the tree, cycles included", () => {
    const rows = fc.uniqueArray(
      fc.record({ id: fc.integer({ min: 1, max: 12 }), parent: fc.nat(12), mark: fc.nat(3) }),
      { selector: ({ id }) => id, maxLength: 12 },
    );
    fc.assert(
      fc.property(rows, (some) => {
        expect(mayHaveDescendant(textOf(some))).toBe(descends(some));
      }),
    );
  });
});
