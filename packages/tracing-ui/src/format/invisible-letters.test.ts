import { expect, test } from "vitest";
import { invisibleLetters } from "./invisible-letters.ts";

test.each([
  ["plain, with ümläuts, 日本語, שלום and 👩\u200d💻", ""],
  ["lines\r\nand\ttabs", ""],
  ["pay\u200bment \u202etnemyap \u200b", "U+200B, U+202E"],
  ["\u0000\u0001\u0002\u0003\u0004\u0005", "U+0000, U+0001, U+0002, U+0003, U+0004 …"],
  ["\u{e0041}", "U+E0041"],
])("of %j: %s", (text, told) => expect(invisibleLetters(text)).toBe(told));
