import { expect, test } from "vitest";
import { parseProperties } from "./parse-properties.ts";

test.each<[text: string, values: Record<string, string>]>([
  ["", {}],
  ["collector.tags=a=b,c=d", { "collector.tags": "a=b,c=d" }],
  ["a = 1\r\nb: 2\n c 3\nd\n\n", { a: "1", b: "2", c: "3", d: "" }],
  ["# a=1\n  ! b=2\nc=3 # no comment", { c: "3 # no comment" }],
  ["a=one,\\\n    two\nb=x\\\\\nc=y", { a: "one,two", b: "x\\", c: "y" }],
  ["a\\ b\\:c=\\tgr\\u00fc\\\\n", { "a b:c": "\tgr\u00fc\\n" }],
  ["a=1\na=2", { a: "2" }],
  ["__proto__x=1", { __proto__x: "1" }],
])("%j", (text, values) => {
  expect(parseProperties(text)).toEqual(values);
});
