import { maxJsonDepth } from "../json/encode-json.ts";

/** A place in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** How a format writes what a search must not look into, and numbers that JSON has not. */
export interface TextForms {
  /** Texts in quotes and comments. */
  readonly skipped: RegExp;
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
 * Where a text that was read without complaint has what JSON cannot say: a number that is none, or a bracket that is one
 * level too deep. undefined when it has neither. Brackets are counted as far as the format nests by them.
 */
export function findInexpressible(text: string, { skipped, odd }: TextForms): TextPlace | undefined {
  const pattern = new RegExp(`(?<skipped>${skipped.source})|(?<odd>${odd.source})|[[\\]{}]`, "g");
  let depth = 0;
  for (const match of text.matchAll(pattern)) {
    const [found] = match;
    if (match.groups?.odd !== undefined) {
      return placeAt(text, match.index);
    }
    if (match.groups?.skipped === undefined) {
      depth += found === "[" || found === "{" ? 1 : -1;
      if (depth > maxJsonDepth) {
        return placeAt(text, match.index);
      }
    }
  }
  return undefined;
}
