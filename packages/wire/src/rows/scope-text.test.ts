import { expect, test } from "vitest";
import { readScopeText } from "./scope-text.ts";
import { SpanRowReader } from "./span-row-reader.ts";

function read(text: string) {
  return readScopeText(
    new SpanRowReader(Buffer.from(`${String.fromCharCode(text.length)}${text}`, "latin1")),
  );
}

test("reads four texts", () => {
  expect(read("name\xff1.2\xff\xffhttps://a")).toEqual({
    name: "name",
    version: "1.2",
    schemaUrl: "",
    resourceSchemaUrl: "https://a",
  });
  expect(read("\xff\xff\xff")).toEqual({ name: "", version: "", schemaUrl: "", resourceSchemaUrl: "" });
});

test.each(["", "name", "a\xffb\xffc", "a\xffb\xffc\xffd\xffe"])("refuses other numbers of texts", (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
});
