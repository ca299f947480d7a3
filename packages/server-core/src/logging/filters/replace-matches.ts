import { ServerError } from "../../errors.ts";
import type { LinearRegexp } from "../../regexp/linear-regexp.ts";

const hidden = "REDACTED";

/**
 * Replaces what a regular expression matches. A text for which it is too costly is hidden as a whole: what was to be
 * hidden must not come out because there is too much of it.
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
