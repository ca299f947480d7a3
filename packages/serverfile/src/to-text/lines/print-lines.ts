import { type Line, linesOf, type Word } from "./line.ts";
import { writeWord } from "./write-word.ts";

/**
 * Formats lines as text. Each level is indented by one tab, as in the formatter.
 * @param rewrite converts each word before the word is written
 */
export function printLines(lines: readonly Line[], rewrite: (text: string) => string, depth = 0): string {
  const indent = "\t".repeat(depth);
  const rewritten = (word: Word): Word =>
    typeof word === "string"
      ? rewrite(word)
      : "quoted" in word
        ? { quoted: rewrite(word.quoted) }
        : { raw: rewrite(word.raw) };
  let text = "";
  for (const { words, block } of lines) {
    text += indent + words.map((word) => writeWord(rewritten(word), `${indent}\t`)).join(" ");
    if (block !== undefined) {
      text += ` {\n${printLines(linesOf(block), rewrite, depth + 1)}${indent}}`;
    }
    text += "\n";
  }
  return text;
}
