import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AttributeValue, maxAttributeDepth } from "../model/attribute.ts";
import { attributeValueArbitrary } from "../testing/span-arbitrary.ts";
import { parseTypedJson } from "./parse-attribute-text.ts";
import { typedJson } from "./typed-json.ts";

function array(...value: AttributeValue[]): AttributeValue {
  return { type: "array", value };
}
function kvlist(...entries: [string, AttributeValue][]): AttributeValue {
  return { type: "kvlist", value: entries.map(([key, value]) => ({ key, value })) };
}
function string(value: string): AttributeValue {
  return { type: "string", value };
}
function int(value: bigint): AttributeValue {
  return { type: "int", value };
}
function double(value: number): AttributeValue {
  return { type: "double", value };
}
function nested(depth: number): AttributeValue {
  let value = array();
  for (let level = 1; level < depth; level++) {
    value = array(value);
  }
  return value;
}

const forms: [name: string, value: AttributeValue, text: string][] = [
  [
    "mixed types",
    array(string("x"), int(1n), { type: "bool", value: true }, double(2.5)),
    '["x",1,true,2.5]',
  ],
  ["empty array", array(), "[]"],
  ["empty kvlist", kvlist(), "{}"],
  ["empty value", array({ type: "empty" }), "[null]"],
  ["text with quotes, backslashes and controls", array(string('a"\\\n\u0001')), '["a\\"\\\\\\n\\u0001"]'],
  ["text that ends with a backslash", array(string("\\"), string('"')), '["\\\\","\\""]'],
  ["int past 2^53", array(int(9223372036854775807n)), "[9223372036854775807]"],
  ["lowest int", array(int(-9223372036854775808n)), "[-9223372036854775808]"],
  ["whole double", array(double(2)), "[2.0]"],
  ["large double", array(double(1e21)), "[1e+21]"],
  ["minus zero", array(double(-0)), "[-0.0]"],
  ["not a number", array(double(Number.NaN)), '[{"$double":"NaN"}]'],
  ["infinity", array(double(-Infinity)), '[{"$double":"-Infinity"}]'],
  ["bytes", array({ type: "bytes", value: Buffer.from([0, 255]) }), '[{"$bytes":"00ff"}]'],
  ["a kvlist that looks like bytes", kvlist(["$bytes", string("00")]), '{"$$bytes":"00"}'],
  ["a kvlist that looks like an escape", kvlist(["$$bytes", string("00")]), '{"$$$bytes":"00"}'],
  ["order and repeated keys", kvlist(["b", int(1n)], ["1", int(2n)], ["b", int(3n)]), '{"b":1,"1":2,"b":3}'],
  ["__proto__ as a key", kvlist(["__proto__", int(1n)]), '{"__proto__":1}'],
];

describe("typedJson", () => {
  test.each(forms)("writes and reads %s", (_name, value, text) => {
    expect(typedJson(value)).toBe(text);
    expect(parseTypedJson(text)).toEqual(value);
  });

  test("is read back as it was, whatever the value", () => {
    fc.assert(
      fc.property(attributeValueArbitrary, (value) => {
        expect(parseTypedJson(typedJson(value))).toEqual(value);
      }),
    );
  });

  test("refuses values nested past the limit, both ways", () => {
    expect(parseTypedJson(typedJson(nested(maxAttributeDepth)))).toEqual(nested(maxAttributeDepth));
    expect(() => typedJson(nested(maxAttributeDepth + 1))).toThrow(
      expect.objectContaining({ code: "WIRE_TOO_DEEP" }),
    );
    expect(() => parseTypedJson("[".repeat(1_000_000))).toThrow(
      expect.objectContaining({ code: "WIRE_TOO_DEEP" }),
    );
  });

  test.each([
    "",
    "[",
    "[1",
    "[1,]",
    "[1]x",
    "[ 1]",
    '["a]',
    '["\\x"]',
    '["\\"]',
    "[tru]",
    "[9223372036854775808]",
    "[NaN]",
    "{",
    '{"a"}',
    '{"a":1,}',
    '{"a":1,"$b":2}',
    '{"$bytes":"0"}',
    '{"$bytes":"00","a":1}',
    '{"$double":"1"}',
    '{"$other":"1"}',
  ])("refuses %j", (text) => {
    expect(() => parseTypedJson(text)).toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
  });
});
