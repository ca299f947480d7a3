import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import { maxMatchingBytes } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";

/** Default number of compared bytes. Source: caddy-l4, `minCount` */
const defaultCount = 4;

/**
 * Matches an expression against the first `count` bytes, from offset 0. The matcher waits until `count` bytes have
 * arrived. With `hex`, the bytes 16 03 are matched as the text `1603`. Source: caddy-l4, `layer4.matchers.regexp`
 */
export const regexpMatcher = defineModule({
  id: "layer4.matchers.regexp",
  config: z.strictObject({
    count: z
      .int()
      .min(0)
      .max(maxMatchingBytes)
      .nullish()
      .describe("How many bytes are looked at; with fewer nothing matches (4)."),
    hex: z
      .boolean()
      .nullish()
      .describe("Whether the expression is for the bytes as hexadecimal digits, upper case (false)."),
    pattern: z.string().nullish().describe("Unanchored, RE2; one character a byte. Placeholders allowed."),
  }),
  provision(config): Matcher {
    const count = config.count || defaultCount;
    const regexp = new LinearRegexp(replaceAll(config.pattern ?? ""));
    return {
      matches({ bytes }) {
        if (bytes.length < count) {
          return undefined;
        }
        const first = bytes.subarray(0, count);
        return regexp.test(config.hex ? first.toString("hex").toUpperCase() : first.toString("latin1"));
      },
    };
  },
});
