import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import { LinearRegexp } from "../../regexp/linear-regexp.ts";
import type { LogFilter } from "../log-modules.ts";
import { onTexts } from "./on-texts.ts";
import { replaceMatches } from "./replace-matches.ts";

const maxOperations = 50;

/** Replaces the matches of several regular expressions, one after the other. */
export const multiRegexpFilter = defineModule({
  id: "logging.encoders.filter.multi_regexp",
  config: z.strictObject({
    operations: z
      .array(
        z.strictObject({
          regexp: z.string().min(1).describe("In RE2 syntax."),
          value: z.string().nullish().describe("Text in its place; groups as `$1`."),
        }),
      )
      .min(1)
      .max(maxOperations)
      .describe("In order."),
  }),
  provision(config): LogFilter {
    const operations = config.operations.map(({ regexp, value }) => ({
      regexp: new LinearRegexp(regexp),
      replacement: value ?? "",
    }));
    const change = (text: string) =>
      operations.reduce((each, { regexp, replacement }) => replaceMatches(each, regexp, replacement), text);
    return { filter: (value) => onTexts(value, change) };
  },
});
