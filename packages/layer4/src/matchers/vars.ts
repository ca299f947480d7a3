import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { z } from "zod";
import type { Connection } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";

/**
 * The value of a key: a placeholder in braces, else a variable.
 * The key `{l4.conn.remote_addr}` reads a placeholder, the key `backend` the variable.
 */
function valueOfKey(connection: Connection, key: string): string {
  const placeholder = /^\{([^{}]*)\}$/.exec(key)?.[1];
  return placeholder === undefined ? connection.variable(key) : (connection.value(placeholder) ?? "");
}

/**
 * Matches variables and placeholders. One key with one of its values is enough; an empty config matches
 * everything. No byte is looked at. Source: caddy-l4, `layer4.matchers.vars`
 */
export const varsMatcher = defineModule({
  id: "layer4.matchers.vars",
  config: z
    .record(z.string(), z.array(z.string()))
    .describe("Names of variables, or placeholders in braces, with the values of which one must be there."),
  provision(config): Matcher {
    const wanted = Object.entries(config);
    return {
      matches: (connection) =>
        wanted.length === 0 ||
        wanted.some(([key, values]) => {
          const value = valueOfKey(connection, key);
          return values.some((each) => connection.fill(each) === value);
        }),
    };
  },
});

/** An expression, and a name for its captures. */
const namedPattern = z.strictObject({
  name: z.string().nullish().describe("Names the captures: `{l4.regexp.<name>.<group>}`."),
  pattern: z.string().describe("In RE2 syntax; case counts, and it may match anywhere unless anchored."),
});

/**
 * Compiles a test that sets a placeholder for each capture: group 1 of the pattern `p` becomes `{l4.regexp.p.1}` and
 * `{l4.regexp.1}`. Named groups are available under their names too.
 * @throws ServerError MODULE_CONFIG
 */
function compilePattern({ name, pattern }: z.infer<typeof namedPattern>) {
  if (name && !/\w/.test(name)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `invalid regexp name (must contain only word characters): ${name}`,
    );
  }
  const regexp = new LinearRegexp(pattern);
  const prefixes = name ? [`l4.regexp.${name}.`, "l4.regexp."] : ["l4.regexp."];
  return (text: string, connection: Connection): boolean => {
    const match = regexp.find(text);
    for (const [index, group] of match?.groups.entries() ?? []) {
      const names = [String(index), regexp.groupNames[index]].filter((each) => each);
      for (const prefix of prefixes) {
        for (const each of names) {
          connection.setValue(`${prefix}${each}`, group ?? "");
        }
      }
    }
    return match !== undefined;
  };
}

/**
 * Matches expressions over variables and placeholders; captures become placeholders. The first match suffices, and the
 * rest is not tested. Source: caddy-l4, `layer4.matchers.vars_regexp`
 */
export const varsRegexpMatcher = defineModule({
  id: "layer4.matchers.vars_regexp",
  config: z
    .record(z.string(), namedPattern)
    .describe("Regular expressions by variable, or by placeholder in braces: one must match."),
  provision(config): Matcher {
    const tests = Object.entries(config).map(([key, each]) => ({ key, test: compilePattern(each) }));
    return {
      matches: (connection) => tests.some(({ key, test }) => test(valueOfKey(connection, key), connection)),
    };
  },
});
