import { parseSync } from "oxc-parser";
import { cutSentences, type Sentence } from "./sentence.ts";

/** Comments for tools, not for people. */
const forTools =
  /^[\s*]*(?:biome-ignore|@ts-|v8 ignore|c8 ignore|istanbul|#__PURE__|eslint|<reference|\/ <reference)/;

/** A line that begins a new paragraph: a tag, a list item, a table row, or a blank line. */
const beginsParagraph = /^(?:@\w+|[-*•] |\d+\. |\||$)/;

/**
 * Sentences of all comments of a TypeScript or JavaScript file. Consecutive line comments are one text.
 * @param path decides how the source is read: `.ts`, `.tsx` or `.mjs`
 */
export function commentSentences(path: string, source: string): Sentence[] {
  const lineOf = lineFinder(source);
  const blocks: { line: number; endLine: number; text: string; kind: "line" | "block" | "doc" }[] = [];
  for (const { type, value, start, end } of parseSync(path, source).comments) {
    if (forTools.test(value)) {
      continue;
    }
    const line = lineOf(start);
    const last = blocks.at(-1);
    const alone = source.slice(source.lastIndexOf("\n", start - 1) + 1, start).trim() === "";
    if (type === "Line" && alone && last?.kind === "line" && last.endLine === line - 1) {
      last.text += `\n${value}`;
      last.endLine = line;
      continue;
    }
    const kind = type === "Line" ? "line" : value.startsWith("*") ? "doc" : "block";
    blocks.push({ line, endLine: kind === "line" && !alone ? -1 : lineOf(end), text: value, kind });
  }
  return blocks.flatMap(({ text, line, kind }) => sentencesOf(text, line, kind === "doc"));
}

/**
 * Sentences of one comment. Code between fences is left out, and a tag's name and parameter are not part of the
 * sentence.
 */
function sentencesOf(text: string, firstLine: number, docComment: boolean): Sentence[] {
  const sentences: Sentence[] = [];
  let paragraph: string[] = [];
  let begin = firstLine;
  let fenced = false;
  const flush = () => {
    sentences.push(...cutSentences(paragraph.join("\n"), begin, docComment));
    paragraph = [];
  };
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/^\s*\*?\s?/, "").trimEnd();
    const words = line.trim();
    if (words.startsWith("```")) {
      flush();
      fenced = !fenced;
      continue;
    }
    if (fenced) {
      continue;
    }
    if (beginsParagraph.test(words)) {
      flush();
    }
    if (paragraph.length === 0) {
      begin = firstLine + index;
    }
    paragraph.push(
      words
        .replace(/^(?:[-*•] |\d+\. )/, "")
        .replace(/^@(?:param|property|template)\s+(?:\[?[\w.$]+\]?)\s*(?:-\s*)?/, "")
        .replace(/^@\w+\s*/, ""),
    );
  }
  flush();
  return sentences;
}

/** @returns a function from an index in `source` to its line; the first line is 1 */
function lineFinder(source: string): (index: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return (index) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= index) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low + 1;
  };
}
