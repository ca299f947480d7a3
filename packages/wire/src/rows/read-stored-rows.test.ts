import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "../model/span.ts";
import { tupleOf } from "../testing/details-text-of.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { storedRowsOf, withoutDetails } from "../testing/stored-rows-of.ts";
import { readStoredRows } from "./read-stored-rows.ts";

const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 7 }) as [Span];

describe("readStoredRows", () => {
  test("gives back every span as it was, with details of every kind", () => {
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 4 }), (some) => {
        const spans = some.flatMap((one) => [
          one,
          withoutDetails(one, true),
          withoutDetails(one, false),
          one,
        ]);
        expect(readStoredRows(storedRowsOf(spans))).toEqual(spans);
        // The form of rows from versions that always wrote the whole tuple.
        expect(readStoredRows(storedRowsOf(spans, tupleOf))).toEqual(spans);
      }),
    );
  });

  test("lets spans share resource and scope, also those of which only details tell", () => {
    const [plain, other] = [withoutDetails(span, false), { ...span, flags: span.flags ^ 1 }];
    const spans = readStoredRows(storedRowsOf([plain, span, plain, other]));
    expect(spans[2]?.resource).toBe(spans[0]?.resource);
    expect(spans[3]?.scope).toBe(spans[1]?.scope);
    expect(spans[3]?.resource).toBe(spans[1]?.resource);
    expect(spans[1]?.scope).not.toBe(spans[0]?.scope);
  });

  test("throws for rows cut anywhere", () => {
    const rows = storedRowsOf([span]);
    for (let end = 1; end < rows.length; end++) {
      expect(() => readStoredRows(rows.subarray(0, end))).toThrow(
        expect.objectContaining({ name: "WireError" }),
      );
    }
  });

  test.each(["parents", "Parent", "0,0,[],0,[])", " ", "(0,[],0,", "()"])("refuses %s as details", (text) => {
    expect(() => readStoredRows(storedRowsOf([span], () => Buffer.from(text)))).toThrow(
      expect.objectContaining({ name: "WireError", code: "WIRE_MALFORMED" }),
    );
  });
});
