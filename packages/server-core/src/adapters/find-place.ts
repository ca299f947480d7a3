import { maxJsonDepth } from "../json/encode-json.ts";

/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A text in quotes or a comment. */
interface SkippedForm {
  readonly opens: string;
  /** A global pattern that matches the end, or a backslash with the escaped character. */
  readonly ends: RegExp;
}

/** Forms of a format: texts that a search must skip, and numbers that JSON lacks. */
export interface TextForms {
  /**
   * Forms that a search skips: quoted texts and comments. A longer beginning stands before a shorter one that
   * it begins with.
   */
  readonly skipped: readonly SkippedForm[];
  /** Infinity and NaN as values. */
  readonly odd: RegExp;
}

/** The place of a character. @param offset counted from 0 */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/**
 * Matches of a pattern outside of quoted texts and comments. The skipped parts are not a single match,
 * because megabytes would overflow the regular expression's stack.
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
      // an escaped character ends nothing
    }
    if (ends.lastIndex === 0) {
      return;
    }
    pattern.lastIndex = ends.lastIndex;
  }
}

/**
 * The place in a valid text of a value that JSON cannot express: NaN, an infinity, or a bracket that is
 * nested too deep. undefined when there is none. Brackets are counted as the format nests them.
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
