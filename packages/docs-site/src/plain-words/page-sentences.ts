import { lexer, type Token } from "marked";
import { cutSentences, type Sentence } from "./sentence.ts";

/**
 * Sentences of a Markdown page: paragraphs, list items, quotes and cells of tables. Headings and code are left out;
 * a heading may be a question, and code is not prose.
 */
export function pageSentences(source: string): Sentence[] {
  const sentences: Sentence[] = [];
  /** Reads consecutive tokens, whose first begins at `line`. */
  const read = (tokens: readonly Token[], line: number): void => {
    let at = line;
    for (const token of tokens) {
      if (token.type === "paragraph" || token.type === "text") {
        sentences.push(...cutSentences(plainText(token.raw), at, false));
      } else if (token.type === "list") {
        let itemAt = at;
        for (const item of token.items as Token[]) {
          read((item as { tokens: Token[] }).tokens, itemAt);
          itemAt += linesIn(item.raw);
        }
      } else if (token.type === "table") {
        for (const [row, cells] of (token.rows as { text: string }[][]).entries()) {
          for (const { text } of cells) {
            // A cell that describes a boolean may begin with “Whether”, like its docstring.
            sentences.push(...cutSentences(plainText(text), at + 2 + row, true));
          }
        }
      } else if (token.type === "blockquote") {
        read(token.tokens ?? [], at);
      }
      at += linesIn(token.raw);
    }
  };
  read(lexer(source), 1);
  return sentences;
}

/** Emphasis, images and links without their marks and addresses; line breaks stay. */
function plainText(raw: string): string {
  return raw
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<[^>]*>/g, "")
    .replace(/\*\*/g, "");
}

/** Number of line breaks. */
function linesIn(raw: string): number {
  return raw.split("\n").length - 1;
}
