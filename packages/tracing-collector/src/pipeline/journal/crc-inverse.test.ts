import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changedByte, seedOf } from "./crc-inverse.ts";

const word = fc.integer({ min: 0, max: 0xffff_ffff });

test("finds what a checksum was begun with", () => {
  fc.assert(
    fc.property(fc.uint8Array(), word, (bytes, seed) => {
      expect(seedOf(crc32(bytes, seed), bytes)).toBe(seed);
    }),
  );
});

test("finds which byte of a word was changed, whatever follows", () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.nat(3),
      fc.integer({ min: 1, max: 255 }),
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      (after, place, flip, word) => {
        const changed = Buffer.from(word);
        changed[place] = (changed[place] as number) ^ flip;
        const then = crc32(after, crc32(word, 7));
        const now = crc32(after, crc32(changed, 7));
        expect(changedByte(then ^ now, after.length)).toBe((flip << (8 * place)) >>> 0);
      },
    ),
  );
});

test("knows that no byte of the word was changed when one behind it was", () => {
  const bytes = Buffer.from("a word, and something behind it");
  const changed = Buffer.from(bytes);
  changed[20] = (changed[20] as number) ^ 1;
  expect(changedByte(crc32(bytes) ^ crc32(changed), bytes.length - 4)).toBeUndefined();
});
