import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import { LinearRegexp } from "../../regexp/linear-regexp.ts";
import type { LogFilter } from "../log-modules.ts";
import { onTexts } from "./on-texts.ts";
import { replaceMatches } from "./replace-matches.ts";

/** Replaces the matches of a regular expression. */
export const regexpFilter = defineModule({
  id: "logging.encoders.filter.regexp",
  config: z.strictObject({
    regexp: z.string().describe("In RE2 syntax."),
    value: z.string().nullish().describe("Text in its place; groups as `$1`."),
  }),
  provision(config): LogFilter {
    const regexp = new LinearRegexp(config.regexp);
    const replacement = config.value ?? "";
    return { filter: (value) => onTexts(value, (text) => replaceMatches(text, regexp, replacement)) };
  },
});
