import { z } from "zod";
import { errorWithin } from "../../errors.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { inlineModule } from "../../modules/config-fields.ts";
import { defineModule } from "../../modules/module.ts";
import type { LogEntry, LogValue } from "../log-entry.ts";
import { type LogEncoder, type LogFilter, logFilters } from "../log-modules.ts";
import { loadWrapped } from "./wrapped-encoder.ts";

interface FieldFilter {
  /** Path of the field: `request`, `headers`, `Authorization`. */
  readonly path: readonly string[];
  /** Changes or removes the value of the field. */
  readonly filter: LogFilter;
}

type Fields = { readonly [name: string]: LogValue };

function isFields(value: LogValue | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function changeAt(fields: Fields, path: readonly string[], filter: LogFilter): Fields {
  const [name = "", ...rest] = path;
  const value = fields[name];
  if (value === undefined) {
    return fields;
  }
  if (rest.length > 0) {
    return isFields(value) ? { ...fields, [name]: changeAt(value, rest, filter) } : fields;
  }
  const changed = filter.filter(value);
  const newName = filter.rename ?? name;
  const result: Record<string, LogValue> = {};
  for (const [each, kept] of Object.entries(fields)) {
    if (each !== name) {
      result[each] = kept;
    } else if (changed !== undefined) {
      result[newName] = changed;
    }
  }
  return result;
}

/** Applies a filter. The names `msg` and `logger` filter the message and the logger's name, which are not fields. */
function changeEntry(entry: LogEntry, { path, filter }: FieldFilter): LogEntry {
  const [name] = path;
  if (path.length === 1 && (name === "msg" || name === "logger")) {
    const key = name === "msg" ? "message" : "logger";
    const changed = filter.filter(entry[key]);
    return { ...entry, [key]: changed === undefined ? "" : String(changed) };
  }
  return { ...entry, fields: changeAt(entry.fields, path, filter) };
}

/** Changes or removes fields before another encoder writes the line. */
export const filterEncoder = defineModule({
  id: "logging.encoders.filter",
  config: z.strictObject({
    wrap: inlineModule("logging.encoders", "format").nullish().describe("What makes the line (json)."),
    fields: z
      .record(z.string(), inlineModule("logging.encoders.filter", "filter"))
      .nullish()
      .describe("Filters by field; `>` goes down: `request>headers>Authorization`."),
  }),
  async provision(config, context): Promise<LogEncoder> {
    const wrapped = await loadWrapped(config.wrap, context);
    const filters: FieldFilter[] = [];
    for (const [field, each] of Object.entries(config.fields ?? {})) {
      try {
        const filter = await context.loadInline(logFilters, "filter", each as JsonValue, `fields/${field}`);
        filters.push({ path: field.split(">"), filter });
      } catch (error) {
        throw errorWithin(`loading log filter modules: field ${field}`, error);
      }
    }
    return { encode: (entry) => wrapped.encode(filters.reduce(changeEntry, entry)) };
  },
});
