import { z } from "zod";
import { inlineModule } from "../../modules/config-fields.ts";
import { defineModule } from "../../modules/module.ts";
import { machineReader } from "../../placeholders/machine-placeholders.ts";
import type { LogValue } from "../log-entry.ts";
import type { LogEncoder } from "../log-modules.ts";
import { loadWrapped } from "./wrapped-encoder.ts";

/** Adds the same fields to every line. */
export const appendEncoder = defineModule({
  id: "logging.encoders.append",
  config: z.strictObject({
    wrap: inlineModule("logging.encoders", "format").nullish().describe("What makes the line (json)."),
    fields: z
      .record(z.string(), z.json())
      .nullish()
      .describe(
        "Fields and their values. A text that is one placeholder of the machine or the time, such as `{env.X}` or `{time.now.unix}`, is filled in for each line; null where there is none of that name.",
      ),
  }),
  async provision(config, context): Promise<LogEncoder> {
    const wrapped = await loadWrapped(config.wrap, context);
    const fields: Record<string, LogValue> = {};
    const filled: (readonly [name: string, value: () => LogValue])[] = [];
    for (const [name, value] of Object.entries(config.fields ?? {})) {
      const [, placeholder] = typeof value === "string" ? (/^\{([^{}]+)\}$/.exec(value) ?? []) : [];
      if (placeholder === undefined) {
        fields[name] = value as LogValue;
      } else {
        fields[name] = null;
        filled.push([name, () => machineReader(placeholder)?.() ?? null]);
      }
    }
    return {
      encode(entry) {
        const all: Record<string, LogValue> = { ...entry.fields, ...fields };
        for (const [name, value] of filled) {
          all[name] = value();
        }
        return wrapped.encode({ ...entry, fields: all });
      },
    };
  },
});
