import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttributeType, AttributeValue } from "../model/attribute.ts";
import { attributeValueArbitrary } from "../testing/span-arbitrary.ts";
import { attributeText } from "./attribute-text.ts";
import { parseAttributeText } from "./parse-attribute-text.ts";

const texts: [value: AttributeValue, text: string][] = [
  [{ type: "empty" }, ""],
  [{ type: "string", value: "" }, ""],
  [{ type: "string", value: "true" }, "true"],
  [{ type: "bool", value: false }, "false"],
  [{ type: "int", value: -9223372036854775808n }, "-9223372036854775808"],
  [{ type: "double", value: 72.5 }, "72.5"],
  [{ type: "double", value: 2 }, "2"],
  [{ type: "double", value: 1e21 }, "1e+21"],
  [{ type: "double", value: -0 }, "-0"],
  [{ type: "double", value: Number.NaN }, "NaN"],
  [{ type: "double", value: -Infinity }, "-Infinity"],
  [{ type: "bytes", value: Buffer.from([0xab, 0]) }, "ab00"],
  [{ type: "array", value: [{ type: "double", value: 1 }] }, "[1.0]"],
  [{ type: "kvlist", value: [{ key: "k", value: { type: "string", value: "v" } }] }, '{"k":"v"}'],
];

const malformed: [type: AttributeType, text: string][] = [
  ["bool", "yes"],
  ["int", ""],
  ["int", "1.0"],
  ["int", "0x10"],
  ["double", ""],
  ["double", "one"],
  ["bytes", "abc"],
  ["bytes", "AB"],
  ["array", "{}"],
  ["kvlist", "[]"],
  ["kvlist", '{"$bytes":""}'],
];

describe("attributeText", () => {
  test.each(texts)("of %o is %j, and back", (value, text) => {
    expect(attributeText(value)).toBe(text);
    expect(parseAttributeText(value.type, text)).toEqual(value);
  });

  test("is read back as it was, whatever the value", () => {
    fc.assert(
      fc.property(attributeValueArbitrary, (value) => {
        expect(parseAttributeText(value.type, attributeText(value))).toEqual(value);
      }),
    );
  });

  test.each(malformed)("refuses a text that is no %s: %j", (type, text) => {
    expect(() => parseAttributeText(type, text)).toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
  });
});
