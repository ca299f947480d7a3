import type { Exchange } from "http-engine/exchange";
import { setPlaceholder } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";

/** A regular expression in a matcher's config. */
export const regexpSchema = z.strictObject({
  name: z.string().nullish().describe("Names the captures: `{http.regexp.<name>.<group>}`."),
  pattern: z.string().describe("In RE2 syntax; case counts, and it may match anywhere unless anchored."),
});

export type RegexpConfig = z.infer<typeof regexpSchema>;

/** Tests a text. On a match the captures become placeholders. */
export type RegexpTest = (text: string, exchange: Exchange) => boolean;

/**
 * Compiles a regular expression whose captures become `{http.regexp.<name>.<number or group name>}`. Without a name,
 * they are `{http.regexp.<number or group name>}`, set by the last match.
 * @throws ServerError MODULE_CONFIG
 * Source: Caddy 2.11
 */
export function compileRegexpTest(config: RegexpConfig): RegexpTest {
  const name = config.name || "";
  if (name !== "" && !/\w/.test(name)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `invalid regexp name (must contain only word characters): ${name}`,
    );
  }
  const regexp = new LinearRegexp(config.pattern);
  const prefixes = name === "" ? ["http.regexp."] : [`http.regexp.${name}.`, "http.regexp."];
  return (text, exchange) => {
    const match = regexp.find(text);
    if (match === undefined) {
      return false;
    }
    for (const [index, group] of match.groups.entries()) {
      for (const prefix of prefixes) {
        setPlaceholder(exchange, prefix + index, group ?? "");
        const groupName = regexp.groupNames[index];
        if (groupName) {
          setPlaceholder(exchange, prefix + groupName, group ?? "");
        }
      }
    }
    return true;
  };
}
