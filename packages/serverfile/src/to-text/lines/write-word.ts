// | text | word |
// |---|---|
// | `a/b` | `a/b` |
// | `a b` | `"a b"` |
// | `say "hi"` | in backticks |
// | several lines | a heredoc |
// | `{$HOME}` | `{$:{$}HOME}`, which is read as `{$HOME}` |

import { isSpace } from "../../lexer/white-space.ts";
import type { Word } from "./line.ts";

/**
 * Texts that need quotes: empty texts, `{}`, and texts that start like a quote, a comment or a heredoc, end with a
 * backslash or an opening brace, or contain an escaped `<`.
 */
const special = /^$|^\{\}$|^["`#]|^<<|\\$|\\<|\{$/;
/** A placeholder. The formatter reads other braces as blocks. */
const placeholder = /\{[^{}]*\}/g;

/** True for a text that needs no quotes. */
function mayStandBare(text: string): boolean {
  const hasSpace = [...text].some((char) => isSpace(char.charCodeAt(0)));
  return !hasSpace && !special.test(text) && !/[{}]/.test(text.replace(placeholder, ""));
}

/** Marker for heredocs. A text that contains this word is written in quotes instead. */
const marker = "TEXT";

/** Writes several lines as a heredoc; each line is indented by `indent`. */
function heredoc(text: string, indent: string): string {
  const lines = text.split("\n").map((each) => (each === "" ? "" : indent + each));
  return `<<${marker}\n${lines.join("\n")}\n${indent}${marker}`;
}

/** A text in quotes, or a heredoc if the text has several lines. */
function quoted(text: string, indent: string): string {
  if (text.includes("\n") && !text.includes("\r") && !text.includes(marker)) {
    return heredoc(text, indent);
  }
  if (!text.includes('"') && !/\\("|$)/.test(text)) {
    return `"${text}"`;
  }
  return text.includes("`") ? `"${text.replaceAll('"', '\\"')}"` : `\`${text}\``;
}

/** Protects `{$` from being expanded: it becomes a variable with an empty name, whose default is `{$`. */
function keepDollars(text: string): string {
  return text.replace(/\{\$(?!\})/g, "{$:{$}");
}

/**
 * Writes a word so that the lexer reads the same text. @param indent indentation of the line plus one level, for
 * heredocs
 */
export function writeWord(word: Word, indent: string): string {
  if (typeof word !== "string" && "raw" in word) {
    return keepDollars(word.raw);
  }
  const text = typeof word === "string" ? word : word.quoted;
  return keepDollars(typeof word === "string" && mayStandBare(text) ? text : quoted(text, indent));
}
