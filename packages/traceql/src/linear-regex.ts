import { RE2JS } from "re2js";

/** A regular expression that takes time linear in the text, whatever it is. */
export interface LinearRegex {
  /** Whether it matches the whole text. */
  matches(text: string): boolean;
}

/**
 * A regular expression as Go and ClickHouse read it (RE2), anchored at both ends, where `.` is any character.
 * @throws Error for a pattern that is none
 */
export function linearRegex(pattern: string): LinearRegex {
  const compiled = RE2JS.compile(pattern, RE2JS.DOTALL);
  return { matches: (text) => compiled.matches(text) };
}
