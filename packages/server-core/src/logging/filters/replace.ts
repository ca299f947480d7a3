import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogFilter } from "../log-modules.ts";

/** Replaces the value by a text. */
export const replaceFilter = defineModule({
  id: "logging.encoders.filter.replace",
  config: z.strictObject({ value: z.string().nullish().describe("The text.") }),
  provision: ({ value }): LogFilter => ({ filter: () => value ?? "" }),
});
