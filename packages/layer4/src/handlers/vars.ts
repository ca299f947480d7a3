import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Handler } from "../routes/handler.ts";

/** A value of the config; numbers and booleans become texts. */
const value = z.union([z.string(), z.number(), z.boolean()]);

/** Sets variables, then continues: `{ "backend": "a" }` sets `{l4.vars.backend}`. */
export const vars = defineModule({
  id: "layer4.handlers.vars",
  config: z.record(z.string(), value).describe("Values by name; placeholders allowed in both."),
  provision(config): Handler {
    const entries = Object.entries(config);
    return {
      handle(connection, next) {
        for (const [name, each] of entries) {
          connection.setVariable(connection.fill(name), connection.fill(String(each)));
        }
        return next(connection);
      },
    };
  },
});
