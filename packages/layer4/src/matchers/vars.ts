import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Connection } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";

/** The value of a key: a placeholder in braces, else a variable. */
function valueOfKey(connection: Connection, key: string): string {
  const placeholder = /^\{([^{}]*)\}$/.exec(key)?.[1];
  return placeholder === undefined ? connection.variable(key) : (connection.value(placeholder) ?? "");
}

/** By variables and placeholders. */
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
