import { expect, test } from "vitest";
import { jsonDocuments } from "./json-documents.ts";

const texts = (body: string) => jsonDocuments(Buffer.from(body)).map(String);

test.each([
  ["one document", '{"a":[1,{"b":2}]}', ['{"a":[1,{"b":2}]}']],
  ["lines", '{"a":1}\n{"b":2}\r\n', ['{"a":1}', '\n{"b":2}']],
  ["no line break between", '{"a":1}{"b":2}', ['{"a":1}', '{"b":2}']],
  ["indented", '{\n"a": {\n}\n}\n\n[\n]', ['{\n"a": {\n}\n}', "\n\n[\n]"]],
  ["braces and quotes in texts", '{"a":"}\\"{\\\\"} {"b":"]"}', ['{"a":"}\\"{\\\\"}', ' {"b":"]"}']],
  ["nothing", "", [""]],
  ["blanks only", " \n", [" \n"]],
  ["no object", "hello", ["hello"]],
  ["text behind", '{"a":1}\nhello', ['{"a":1}', "\nhello"]],
  ["not closed", '{"a":1}\n{"b":', ['{"a":1}', '\n{"b":']],
  ["a text that does not end", '{"a":1}\n{"b":"\\"', ['{"a":1}', '\n{"b":"\\"']],
  ["closed too often", "}{}", ["}", "{}"]],
])("%s", (_, body, documents) => {
  expect(texts(body)).toEqual(documents);
});
