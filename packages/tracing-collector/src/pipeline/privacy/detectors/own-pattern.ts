import { RE2JS } from "re2js";
import type { Places } from "./detector.ts";

/** Length limit of a pattern in characters. */
export const maxPatternLength = 1_000;
/**
 * Maximum number of instructions in the automaton of a pattern: nested repetitions make a long automaton of a short
 * pattern.
 */
const maxProgram = 2_000;
/**
 * Length limit of a searched text in characters. A longer text counts as one finding, so that nothing of it stays
 * unchanged.
 */
const maxTextLength = 65_536;
/**
 * Maximum number of characters that the search of one text may look at. After it, the rest of the text counts as one
 * finding.
 */
const maxLookedAt = 1_000_000;

/** The error for a refused pattern; the message has the reason. */
export class PatternError extends Error {}

/**
 * A detector for a custom pattern in RE2 syntax. The time of a search is limited for every pattern and text: when the
 * limit is reached, the rest of the text counts as found.
 * @throws PatternError for a pattern that is invalid, matches the empty text, or is too large
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
