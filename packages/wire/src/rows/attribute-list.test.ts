import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attribute } from "../model/attribute.ts";
import { attributeArbitrary } from "../testing/span-arbitrary.ts";
import { attributeListOf, attributeNeedle } from "./attribute-list.ts";
import { AttributeWriter } from "./attribute-writer.ts";
import { ByteWriter } from "./byte-writer.ts";
import { RowReader } from "./row-reader.ts";

const mark = String.fromCharCode(0xff);
const between = String.fromCharCode(0xfe);

/** An attribute list as one string of a row. */
function written(attributes: readonly Attribute[]): Buffer {
  const out = new ByteWriter();
  const writer = new AttributeWriter(out);
  writer.beginList();
  writer.all(attributes);
  const start = writer.end();
  const reader = new RowReader(out.bytes);
  expect(reader.skipString()).toBe(start);
  expect(reader.done).toBe(true);
  return Buffer.from(out.bytes.subarray(start));
}

describe("an attribute list", () => {
  test("has marks between its attributes, and letters before the values", () => {
    const attributes: Attribute[] = [
      { key: "a", value: { type: "string", value: "x" } },
      { key: "", value: { type: "empty" } },
      { key: "n", value: { type: "int", value: -7n } },
      { key: "b", value: { type: "bytes", value: Buffer.from([0xff, 0xfe]) } },
    ];
    expect(attributeListOf(attributes).toString("latin1")).toBe(
      `${mark}a${between}sx${mark}${between}e${mark}n${between}i-7${mark}b${between}xfffe${mark}`,
    );
    expect(attributeListOf([])).toHaveLength(0);
  });

  test("is what the writer of rows writes", () => {
    fc.assert(
      fc.property(fc.array(attributeArbitrary, { maxLength: 6 }), (attributes) => {
        expect(written(attributes)).toEqual(attributeListOf(attributes));
      }),
    );
  });

  test.each([0, 1, 2, 3, 4, 5])("may be of any size: its length of %i bytes or so", (power) => {
    for (const size of [-8, -7, -6, -5, -4, 0].map((less) => Math.min(2 ** (7 * power), 2 ** 24) + less)) {
      const attributes = [
        { key: "k", value: { type: "string", value: "é".repeat(Math.max(size, 0)) } } as const,
      ];
      expect(written(attributes).equals(attributeListOf(attributes))).toBe(true);
    }
  });

  test("has a needle in it exactly where an attribute has this key, type and value", () => {
    const few = fc.constantFrom("", "a", "b", "ab", "é", "\u{10ffff}", "sa", "\ud800");
    const attribute = fc.record({
      key: few,
      value: fc.oneof(
        few.map((value) => ({ type: "string" as const, value })),
        fc.constant({ type: "empty" as const }),
        fc.constant({ type: "array" as const, value: [] }),
      ),
    });
    const wellFormed = (one: Attribute) => JSON.stringify(one).replaceAll("\\ud800", "\ufffd");
    fc.assert(
      fc.property(fc.array(attribute, { maxLength: 5 }), attribute, (attributes, sought) => {
        const found = attributeListOf(attributes).includes(attributeNeedle(sought.key, sought.value));
        expect(found).toBe(attributes.some((one) => wellFormed(one) === wellFormed(sought)));
      }),
      { numRuns: 1_000 },
    );
  });

  test("takes no mark out of texts that come as bytes", () => {
    const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array));
    const spoilt = fc.array(fc.constantFrom(0xff, 0xfe, 0xc3, 0xa9, 0x61), { maxLength: 6 }).map(Buffer.from);
    const source = fc.oneof(bytes, spoilt);
    fc.assert(
      fc.property(source, source, (key, value) => {
        const out = new ByteWriter();
        const writer = new AttributeWriter(out);
        writer.beginList();
        writer.lenientKey(1, { bytes: key, view: viewOf(key) }, 0, key.length);
        writer.lenientValue(value, viewOf(value), 0, value.length);
        const start = writer.end();
        const expected = { key: key.toString(), value: { type: "string", value: value.toString() } } as const;
        expect(Buffer.from(out.bytes.subarray(start))).toEqual(attributeListOf([expected]));
      }),
      { numRuns: 1_000 },
    );
  });
});

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
