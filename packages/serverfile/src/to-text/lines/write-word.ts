// | text | word |
// |---|---|
// | `a/b` | `a/b` |
// | `a b` | `"a b"` |
// | `say "hi"` | in backticks |
// | several lines | a heredoc |
// | `{$HOME}` | `{$:{$}HOME}`, which is read as `{$HOME}` |

import { isSpace } from "../../lexer/white-space.ts";
import type { Word } from "./line.ts";

/** Texts that need quotes: starts of a quote, comment or heredoc, ends that go on, blocks. */
const special = /^$|^\{\}$|^["`#]|^<<|\\$|\\<|\{$/;
/** A placeholder. The formatter takes other braces for blocks. */
const placeholder = /\{[^{}]*\}/g;

/** True for a text that needs no quotes. */
function mayStandBare(text: string): boolean {
  const hasSpace = [...text].some((char) => isSpace(char.charCodeAt(0)));
  return !hasSpace && !special.test(text) && !/[{}]/.test(text.replace(placeholder, ""));
}

/** Marker of heredocs. A text with this word in it is quoted otherwise. */
const marker = "TEXT";

/** Several lines as a heredoc, each with `indent` before it. */
function heredoc(text: string, indent: string): string {
  const lines = text.split("\n").map((each) => (each === "" ? "" : indent + each));
  return `<<${marker}\n${lines.join("\n")}\n${indent}${marker}`;
}

/** A text in quotes, or as a heredoc when it has several lines. */
function quoted(text: string, indent: string): string {
  if (text.includes("\n") && !text.includes("\r") && !text.includes(marker)) {
    return heredoc(text, indent);
  }
  if (!text.includes('"') && !/\\("|$)/.test(text)) {
    return `"${text}"`;
  }
  return text.includes("`") ? `"${text.replaceAll('"', '\\"')}"` : `\`${text}\``;
}

/** `{$` is an environment variable before anything is read: one without a name, whose default it is, stands for itself. */
function keepDollars(text: string): string {
  return text.replace(/\{\$(?!\})/g, "{$:{$}");
}

/** Writes a word so that the lexer reads it back. @param indent indentation of the line plus one level, for heredocs */
export function writeWord(word: Word, indent: string): string {
  if (typeof word !== "string" && "raw" in word) {
    return keepDollars(word.raw);
  }
  const text = typeof word === "string" ? word : word.quoted;
  return keepDollars(typeof word === "string" && mayStandBare(text) ? text : quoted(text, indent));
}
