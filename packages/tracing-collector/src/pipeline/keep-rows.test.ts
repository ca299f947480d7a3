import fc from "fast-check";
import { expect, test } from "vitest";
import { plainBytesOf, RowScanner } from "wire/rows";
import { plainRowsOf, rowsOf, sharingSpans, spansOf } from "../../test/span-rows-fixture.ts";
import { keepRows } from "./keep-rows.ts";

test("keeps the rows that are asked for, in their order", () => {
  const scanner = new RowScanner();
  fc.assert(
    fc.property(sharingSpans, fc.array(fc.boolean(), { minLength: 1 }), (spans, pattern) => {
      const isKept = (at: number) => pattern[at % pattern.length] === true;
      const wanted = spans.filter((_, at) => isKept(at));
      for (const rows of [rowsOf(spans), plainRowsOf(spans)]) {
        const { length } = rows.bytes;
        let index = 0;
        const kept = keepRows(rows, scanner, ({ bytes, serviceStart, serviceEnd }) => {
          expect(Buffer.from(bytes).toString("utf8", serviceStart, serviceEnd)).toBe(
            spans[index]?.resource.serviceName,
          );
          return isKept(index++);
        });
        expect(spansOf(kept)).toEqual(wanted);
        expect(plainBytesOf(kept)).toBe(plainRowsOf(wanted).bytes.length);
        expect(kept.bytes.length).toBeLessThanOrEqual(length);
        if (wanted.length === spans.length) {
          expect(kept).toBe(rows);
        }
      }
    }),
  );
});
