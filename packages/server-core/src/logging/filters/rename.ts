import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogFilter } from "../log-modules.ts";

export const renameFilter = defineModule({
  id: "logging.encoders.filter.rename",
  config: z.strictObject({ name: z.string().min(1).describe("The other name.") }),
  provision: ({ name }): LogFilter => ({ filter: (value) => value, rename: name }),
});
