import { describe, expect, test } from "vitest";
import type { AttributeValue } from "../model/attribute.ts";
import { nestedJson } from "./nested-json.ts";

const string = (value: string): AttributeValue => ({ type: "string", value });
const double = (value: number): AttributeValue => ({ type: "double", value });
const array = (...value: AttributeValue[]): AttributeValue => ({ type: "array", value });
const kvlist = (...members: [string, AttributeValue][]): AttributeValue => ({
  type: "kvlist",
  value: members.map(([key, value]) => ({ key, value })),
});

describe("nestedJson", () => {
  test.each<[string, AttributeValue, string]>([
    ["nothing", array(), "[]"],
    ["no members", kvlist(), "{}"],
    [
      "scalars",
      array(string("x"), { type: "int", value: 1n }, { type: "bool", value: true }, double(2.5)),
      '["x",1,true,2.5]',
    ],
    [
      "whole and small doubles",
      array(double(3), double(-0), double(1e-7), double(1e21)),
      "[3,-0,1e-7,1e+21]",
    ],
    ["a large integer", array({ type: "int", value: -(2n ** 63n) }), "[-9223372036854775808]"],
    ["an empty value", array({ type: "empty" }), "[null]"],
    ["bytes", array({ type: "bytes", value: Uint8Array.of(0, 255, 16) }), '["AP8Q"]'],
    [
      "characters of HTML and of JavaScript",
      array(string('<a>&\u2028\u2029"\\\n')),
      '["\\u003ca\\u003e\\u0026\\u2028\\u2029\\"\\\\\\n"]',
    ],
    [
      "keys out of order",
      kvlist(["b", string("1")], ["a", string("2")], ["B", string("3")]),
      '{"B":"3","a":"2","b":"1"}',
    ],
    [
      "keys beyond ASCII, by their bytes",
      kvlist(["\u{1f600}", string("1")], ["\uffee", string("2")]),
      '{"\uffee":"2","\u{1f600}":"1"}',
    ],
    ["equal keys", kvlist(["a", string("1")], ["a", string("2")]), '{"a":"2"}'],
    ["nesting", kvlist(["a", array(kvlist(["b", array()]))]), '{"a":[{"b":[]}]}'],
    ["a NaN inside", kvlist(["a", array(double(Number.NaN))]), ""],
  ])("prints %s", (_, value, text) => {
    expect(nestedJson(value)).toBe(text);
  });
});
