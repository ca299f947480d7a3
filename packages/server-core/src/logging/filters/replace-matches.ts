import { ServerError } from "../../errors.ts";
import type { LinearRegexp } from "../../regexp/linear-regexp.ts";

const hidden = "REDACTED";

/**
 * Replaces the matches of a regular expression. A text for which the search takes too long is hidden completely, so
 * that a long text cannot prevent the hiding.
 */
export function replaceMatches(text: string, regexp: LinearRegexp, replacement: string): string {
  try {
    return regexp.replaceAll(text, replacement);
  } catch (error) {
    if (error instanceof ServerError && error.code === "REGEXP_COST") {
      return hidden;
    }
    throw error;
  }
}
