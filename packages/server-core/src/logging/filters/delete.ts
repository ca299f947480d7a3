import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogFilter } from "../log-modules.ts";

export const deleteFilter = defineModule({
  id: "logging.encoders.filter.delete",
  config: z.strictObject({}),
  provision: (): LogFilter => ({ filter: () => undefined }),
});
