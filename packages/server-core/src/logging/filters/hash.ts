import { z } from "zod";
import { defineModule } from "../../modules/module.ts";
import type { LogFilter } from "../log-modules.ts";
import { onTexts, shortHash } from "./on-texts.ts";

/** Replaces the value by a short hash. */
export const hashFilter = defineModule({
  id: "logging.encoders.filter.hash",
  config: z.strictObject({}),
  provision: (): LogFilter => ({ filter: (value) => onTexts(value, shortHash) }),
});
