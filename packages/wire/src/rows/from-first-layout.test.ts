import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import type { Span } from "../model/span.ts";
import { firstLayoutOf } from "../testing/first-layout-of.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { attributeListOf } from "./attribute-list.ts";
import { ByteWriter } from "./byte-writer.ts";
import { fromFirstLayout } from "./from-first-layout.ts";
import { readSpanRows } from "./read-span-rows.ts";
import { SpanRowWriter } from "./span-row-writer.ts";

function rewritten(rows: Uint8Array): Uint8Array {
  const out = new ByteWriter();
  fromFirstLayout(rows, out);
  return out.bytes;
}

describe("fromFirstLayout", () => {
  test("gives the rows that are written today", () => {
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 4 }), (spans) => {
        const rows = rewritten(Buffer.concat(spans.map(firstLayoutOf)));
        expect(readSpanRows(rows)).toEqual(spans);
        const writer = new SpanRowWriter();
        for (const span of spans) {
          writer.append(span, "tenant");
        }
        expect(Buffer.from(rows).equals(writer.take().bytes)).toBe(true);
      }),
    );
  });

  test("throws for rows cut anywhere, and reads damaged ones to the end or throws", () => {
    fc.assert(
      fc.property(spanArbitrary, fc.nat(), fc.nat(), fc.nat(255), (span, cut, at, byte) => {
        const rows = firstLayoutOf(span);
        expect(() => rewritten(rows.subarray(0, (cut % (rows.length - 1)) + 1))).toThrow(WireError);
        rows[at % rows.length] = byte;
        try {
          rewritten(rows);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("lets no mark of lists in", () => {
    const attributes = [{ key: "key", value: { type: "string", value: "value" } }] as const;
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 1 }) as [Span];
    const rows = firstLayoutOf({ ...span, attributes });
    rows[rows.indexOf("value") + 1] = 0xff;
    rows[rows.indexOf("key") + 1] = 0xfe;
    const expected = [{ key: "k\ufffdy", value: { type: "string", value: "v\ufffdlue" } }] as const;
    expect(Buffer.from(rewritten(rows)).includes(attributeListOf(expected))).toBe(true);
  });
});
