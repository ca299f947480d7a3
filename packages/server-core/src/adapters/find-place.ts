import { maxJsonDepth } from "../json/encode-json.ts";

/** A position in a text; line and column are counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A form that a search must skip: a quoted text or a comment. */
interface SkippedForm {
  readonly opens: string;
  /** A global pattern that matches the end of the form, or a backslash with the escaped character. */
  readonly ends: RegExp;
}

/** Syntax of a format: texts that a search must skip, and numbers that JSON lacks. */
export interface TextForms {
  /**
   * Forms that a search skips: quoted texts and comments. If an opening text is a prefix of another one, the longer
   * text must come first.
   */
  readonly skipped: readonly SkippedForm[];
  /** Pattern for the values Infinity and NaN. */
  readonly odd: RegExp;
}

/** Position of a character. @param offset counted from 0 */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/**
 * Matches of a pattern outside of quoted texts and comments. A match covers only the opening text of a skipped form:
 * matching megabytes would overflow the regular expression's stack.
 */
export function* matchesOutside(
  text: string,
  skipped: readonly SkippedForm[],
  sought: RegExp,
): Generator<RegExpExecArray> {
  const openers = skipped.map(({ opens }) => opens.replaceAll("*", "\\*")).join("|");
  const pattern = new RegExp(`(?<opens>${openers})|${sought.source}`, "gu");
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const opens = match.groups?.opens;
    const ends = skipped.find((form) => form.opens === opens)?.ends;
    if (ends === undefined) {
      yield match;
      continue;
    }
    ends.lastIndex = pattern.lastIndex;
    while (ends.exec(text)?.[0].startsWith("\\")) {
      // An escaped character does not end the form.
    }
    if (ends.lastIndex === 0) {
      return;
    }
    pattern.lastIndex = ends.lastIndex;
  }
}

/**
 * Position of a value that JSON cannot express, in a valid text: NaN, an infinity, or a bracket that is nested too
 * deep. Undefined when the text has no such place. The depth of a position is the number of brackets that are open
 * there.
 */
export function findInexpressible(text: string, { skipped, odd }: TextForms): TextPlace | undefined {
  let depth = 0;
  for (const { 0: found, index } of matchesOutside(text, skipped, new RegExp(`${odd.source}|[[\\]{}]`))) {
    if (!"[]{}".includes(found)) {
      return placeAt(text, index);
    }
    depth += found === "[" || found === "{" ? 1 : -1;
    if (depth > maxJsonDepth) {
      return placeAt(text, index);
    }
  }
  return undefined;
}
