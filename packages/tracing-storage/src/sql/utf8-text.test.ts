import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Text } from "./utf8-text.ts";

/** The bytes of a literal with this text, as the engine reads them. */
function bytesOf(text: string): Buffer {
  const pieces = text.split(/\\x([0-9a-f]{2})/);
  return Buffer.concat(pieces.map((piece, index) => Buffer.from(piece, index % 2 === 0 ? "utf8" : "hex")));
}

test("leaves text as it is", () => {
  expect(utf8Text(Buffer.from("SELECT 'Grüße 🌍'"))).toBe("SELECT 'Grüße 🌍'");
  expect(utf8Text(Buffer.alloc(0))).toBe("");
});

test.each([
  ["a byte that no character has", [0xff], "\\xff"],
  ["a character that is cut short", [0x27, 0xf0, 0x9f, 0x8c, 0x27], "'\\xf0\\x9f\\x8c'"],
  ["a byte in the middle of text", [0xc3, 0xbc, 0xfe, 0xc3, 0xbc], "ü\\xfeü"],
  ["a form that is too long", [0xc0, 0x80], "\\xc0\\x80"],
  ["half of a pair", [0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"],
  ["a byte behind a backslash", [0x5c, 0xff], "\\\\\\xff"],
  ["a byte behind two of them", [0x5c, 0x5c, 0xff], "\\\\\\xff"],
  ["the end", [0x61, 0xe2, 0x82], "a\\xe2\\x82"],
])("escapes %s", (_what, bytes, text) => {
  expect(utf8Text(Buffer.from(bytes))).toBe(text);
});

test("keeps every byte", () => {
  const noBackslash = fc
    .uint8Array({ maxLength: 40 })
    .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x5c)));
  fc.assert(
    fc.property(noBackslash, (bytes) => {
      expect(bytesOf(utf8Text(bytes)).equals(bytes)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
