import fc from "fast-check";
import { expect, test } from "vitest";
import { RowScanner } from "wire/rows";
import { rowsOf, spanOf, spansOf } from "../../test/span-rows-fixture.ts";
import { keepRows } from "./keep-rows.ts";

test("keeps the rows that are asked for, in their order", () => {
  const scanner = new RowScanner();
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.string({ maxLength: 20 }))), (outlines) => {
      const spans = outlines.map(([, name]) => spanOf({ name }));
      const rows = rowsOf(spans);
      let index = 0;
      const kept = keepRows(rows, scanner, () => outlines[index++]?.[0] === true);
      expect(spansOf(kept)).toEqual(spans.filter((_, at) => outlines[at]?.[0]));
      if (outlines.every(([isKept]) => isKept)) expect(kept).toBe(rows);
    }),
  );
});
