import { expect, test } from "vitest";
import { parseJson } from "../json/parse-json.ts";
import { LazyDocumentText } from "./lazy-document-text.ts";

const late = (sent: string) => LazyDocumentText.of(parseJson(Buffer.from(sent)), sent);

test("is written in the one form, whatever was sent", () => {
  expect(late('{ "b": 1.0, "a": "<" }')?.text).toBe('{"a":"\\u003c","b":1}');
});

test.each(['{"@id":"x"}', '{"\\u0040id":"x"}', '{"__proto__":1}', '{"a":"\\u005f_proto__"}'])(
  "%s is looked at first",
  (sent) => {
    expect(late(sent)).toBeUndefined();
  },
);

test("says what cannot be written when it is to be", () => {
  expect(() => late("[1e999]")?.text).toThrow("out of the range");
});

test("a change without special keys is written late too, and one with them is not", () => {
  const change = (...written: string[]) => LazyDocumentText.ofChange({ b: 1, a: "<" }, written);
  expect(change("/config/a", '"<"')?.text).toBe('{"a":"\\u003c","b":1}');
  expect(change("/config/a", '"<"')?.sent).toBeUndefined();
  expect(change("/config/a/@id", '"x"')).toBeUndefined();
  expect(change("/config/a", '{"@id":"x"}')).toBeUndefined();
  expect(change("/config/a", '{"\\u0040id":"x"}')).toBeUndefined();
  expect(change("/config/a/__proto__", "{}")).toBeUndefined();
});
