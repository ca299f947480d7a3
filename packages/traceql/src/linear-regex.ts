import { RE2JS } from "re2js";

/** A regular expression that runs in time linear in the text. */
export interface LinearRegex {
  /** True when the expression matches the whole text. */
  matches(text: string): boolean;
}

/**
 * A regular expression of RE2, which Go and ClickHouse use, anchored at both ends. `.` matches any character, including
 * line breaks. `GET|POST` matches "GET" but not "GET /".
 * @throws Error for an invalid pattern, for example with a backreference
 */
export function linearRegex(pattern: string): LinearRegex {
  const compiled = RE2JS.compile(pattern, RE2JS.DOTALL);
  return { matches: (text) => compiled.matches(text) };
}
