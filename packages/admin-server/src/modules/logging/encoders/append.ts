import { z } from "zod";
import { inlineModule } from "../../../core/modules/config-fields.ts";
import { defineModule } from "../../../core/modules/module.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { compileTemplate } from "../../../http/placeholders.ts";
import type { LogValue } from "../log-entry.ts";
import type { LogEncoder } from "../log-modules.ts";
import { loadWrapped } from "./wrapped-encoder.ts";

/** Puts the same fields on every line. */
export const appendEncoder = defineModule({
  id: "logging.encoders.append",
  config: z.strictObject({
    wrap: inlineModule("logging.encoders", "format").nullish().describe("What makes the line (json)."),
    fields: z
      .record(z.string(), z.json())
      .nullish()
      .describe(
        "Fields and their values; placeholders of the machine, such as `{env.X}`, are filled in once.",
      ),
  }),
  async provision(config, context): Promise<LogEncoder> {
    const wrapped = await loadWrapped(config.wrap, context);
    const fields: Record<string, LogValue> = {};
    for (const [name, value] of Object.entries(config.fields ?? {})) {
      fields[name] =
        typeof value === "string" && /^\{(?:env|system|file)\./.test(value)
          ? compileTemplate(value)({} as Exchange)
          : (value as LogValue);
    }
    return { encode: (entry) => wrapped.encode({ ...entry, fields: { ...entry.fields, ...fields } }) };
  },
});
