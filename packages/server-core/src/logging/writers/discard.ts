import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogWriter } from "../log-modules.ts";

export const discardWriter = defineModule({
  id: "logging.writers.discard",
  config: z.strictObject({}),
  provision: (): LogWriter => ({ write() {} }),
});
