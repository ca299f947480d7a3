import { RE2JS } from "re2js";
import type { Places } from "./detector.ts";

/** The longest pattern, in characters. */
export const maxPatternLength = 1_000;
/** Instructions of its automaton: a repetition of repetitions makes a long one of a short pattern. */
const maxProgram = 2_000;
/** A longer text counts as one finding: it is not searched, and nothing in it is let through. */
const maxTextLength = 65_536;
/** Characters that a search of one text may look at in all. Past that, the rest of the text is one finding. */
const maxLookedAt = 1_000_000;

/** An own pattern that is refused; the message says why. */
export class PatternError extends Error {}

/**
 * A detector of an own pattern in the syntax of RE2. The time of a search is bounded whatever the pattern and the text:
 * where the bound is reached, the rest of the text counts as found.
 * @throws PatternError for a pattern that is none, matches the empty text, or is too large
 */
export function ownPattern(pattern: string): (text: string) => Places {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    throw new PatternError(`is no pattern of RE2: ${(error as Error).message}`);
  }
  if (compiled.programSize() > maxProgram) {
    throw new PatternError(`needs ${compiled.programSize()} instructions, over the limit of ${maxProgram}`);
  }
  if (compiled.test("")) {
    throw new PatternError("matches the empty text, and so everything");
  }
  return (text) => findAll(compiled, text);
}

function findAll(compiled: RE2JS, text: string): Places {
  if (text.length > maxTextLength) {
    return [0, text.length];
  }
  if (!compiled.test(text)) {
    return [];
  }
  const places: number[] = [];
  const matcher = compiled.matcher(text);
  let lookedAt = 0;
  let from = 0;
  while (from < text.length && matcher.find(from)) {
    lookedAt += text.length - from;
    if (lookedAt > maxLookedAt) {
      places.push(from, text.length);
      return places;
    }
    const [start, end] = [matcher.start(), matcher.end()];
    if (end > start) {
      places.push(start, end);
    }
    from = Math.max(end, start + 1);
  }
  return places;
}
