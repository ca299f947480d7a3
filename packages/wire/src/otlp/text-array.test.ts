import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteWriter } from "../rows/byte-writer.ts";
import { typedJson } from "../rows/typed-json.ts";
import { readAnyValue } from "./any-value.ts";
import { ProtoCursor } from "./proto-cursor.ts";
import { writeTextArray } from "./text-array.ts";

/** @returns undefined when nothing is written */
function textOf(array: Uint8Array): string | undefined {
  const out = new ByteWriter();
  out.uint8(7);
  const source = Buffer.concat([Buffer.from([1, 2]), array, Buffer.from([10, 3, 10, 1, 65])]);
  const isWritten = writeTextArray(out, source, 2, 2 + array.length);
  if (!isWritten) {
    expect(out.length).toBe(1);
  }
  return isWritten ? Buffer.from(out.bytes).toString("latin1", 1) : undefined;
}

/** The same text, converted through `AttributeValue`. */
function jsonOf(array: Buffer): string {
  const message = Buffer.concat([Buffer.from([42, array.length]), array]);
  const cursor = new ProtoCursor();
  cursor.open(message);
  return typedJson(readAnyValue(cursor, message.length));
}

const item = (text: Uint8Array) => Buffer.concat([Buffer.from([10, text.length + 2, 10, text.length]), text]);

test("writes arrays of short strings as the way over values does", () => {
  const text = fc.string({ maxLength: 20 }).map((value) => item(Buffer.from(value)));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (items) => {
      const array = Buffer.concat(items);
      const written = textOf(array);
      const json = jsonOf(array);
      expect(written).toBe(/[\\\x7f]/.test(json) ? undefined : json);
    }),
  );
});

test("writes what any bytes are as the way over values does, or nothing", () => {
  const byte = fc.oneof(fc.constantFrom(10, 2, 3, 4, 0, 65), fc.nat(255));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
      const array = Buffer.from(bytes);
      const written = textOf(array);
      if (written !== undefined) {
        expect(written).toBe(jsonOf(array));
      }
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ["a quote", item(Buffer.from('a"'))],
  ["a backslash", item(Buffer.from("a\\"))],
  ["a control", item(Buffer.from([9]))],
  ["a byte that is none of ASCII", item(Buffer.from("é"))],
  ["a long string", item(Buffer.alloc(126, 65))],
  ["an empty value", Buffer.from([10, 0])],
  ["a number", Buffer.from([10, 2, 24, 1])],
  ["a text that ends behind the array", Buffer.from([10, 4, 10, 2, 65])],
  ["a cut head", Buffer.from([10, 3, 10])],
])("leaves %s", (_, array) => {
  expect(textOf(Buffer.concat([item(Buffer.from("a")), array]))).toBeUndefined();
});

test("writes no strings, and the longest", () => {
  expect(textOf(Buffer.alloc(0))).toBe("[]");
  expect(textOf(item(Buffer.alloc(125, 65)))).toBe(`["${"A".repeat(125)}"]`);
});
