import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfText, textOfBytes } from "./text-of-bytes.ts";

test.each([
  ["a", "a"],
  ["\xc3\xa9", "é"],
  ["\xf0\x9f\x98\x80", "😀"],
  ["\xff", "\udcff"],
  ["\xc3", "\udcc3"],
  ["a\xc3b", "a\udcc3b"],
  // Overlong, a surrogate, above U+10FFFF: no UTF-8.
  ["\xc0\xaf", "\udcc0\udcaf"],
  ["\xe0\x80\xaf", "\udce0\udc80\udcaf"],
  ["\xed\xa0\x80", "\udced\udca0\udc80"],
  ["\xf4\x90\x80\x80", "\udcf4\udc90\udc80\udc80"],
  ["\xef\xbf\xbd\xff", "\ufffd\udcff"],
])("%j is the text %j", (bytes, text) => {
  expect(textOfBytes(bytes)).toBe(text);
  expect(bytesOfText(text)).toBe(bytes);
});

test("any bytes come back as they were, and UTF-8 reads as UTF-8", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (array) => {
      const bytes = Buffer.from(array);
      const text = textOfBytes(bytes.toString("latin1"));
      expect(bytesOfText(text)).toBe(bytes.toString("latin1"));
      if (isUtf8(bytes)) {
        expect(text).toBe(bytes.toString("utf8"));
      }
      expect(Buffer.from(text, "utf8").toString()).toBe(text.replace(/\p{Surrogate}/gu, "\ufffd"));
    }),
    { numRuns: 2000 },
  );
});

test("a surrogate that stands for no byte is U+FFFD", () => {
  expect(bytesOfText("\ud800")).toBe("\xef\xbf\xbd");
});
