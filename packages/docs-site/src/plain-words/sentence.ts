/** One sentence of a comment or a page, with the place where it begins. */
export interface Sentence {
  /** Plain text: code spans, links and addresses are single words, white space is single spaces. */
  readonly text: string;
  /** The first line is 1. */
  readonly line: number;
  /** True for a doc comment, which may begin with “Whether”, like the docstring of a boolean. */
  readonly docComment: boolean;
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Abbreviations. The segmenter treats their dot as the end of a sentence when a capital follows. */
const abbreviation = /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp)|\b[A-Z])\.\s*$/;

/**
 * @param paragraph text without markup; `\n` where the source begins a new line, so that lines can be counted
 * @param firstLine line of the source on which the paragraph begins
 */
export function cutSentences(paragraph: string, firstLine: number, docComment: boolean): Sentence[] {
  const sentences: Sentence[] = [];
  let text = "";
  let line = firstLine;
  let beginsAt = firstLine;
  for (const { segment } of segmenter.segment(hideCode(paragraph).replace(/\n/g, " \n"))) {
    if (text.trim() === "") {
      const blank = /^\s*/.exec(segment)?.[0] ?? "";
      beginsAt = line + blank.split("\n").length - 1;
    }
    text += segment;
    line += segment.split("\n").length - 1;
    // The segmenter also ends a sentence at a line break.
    if (/[.!?:]["”)\]]*\s*$/.test(text) && !abbreviation.test(text)) {
      sentences.push({ text: tidy(text), line: beginsAt, docComment });
      text = "";
    }
  }
  if (text.trim() !== "") {
    sentences.push({ text: tidy(text), line: beginsAt, docComment });
  }
  return sentences.filter(({ text }) => text !== "");
}

/**
 * Code spans, links and addresses become one word each. The word begins with a capital, because the segmenter ends a
 * sentence only before a capital.
 */
function hideCode(text: string): string {
  return text.replace(/`[^`]*`|\{@link [^}]*\}|https?:\/\/[^\s)>]+/g, (code) =>
    ["Code", ...code.split("\n").slice(1).fill("")].join("\n"),
  );
}

/** Puts a sentence on one line, with a mark for each piece of code. */
function tidy(text: string): string {
  return text
    .replace(/\bCode\b/g, "`…`")
    .replace(/\s+/g, " ")
    .trim();
}
