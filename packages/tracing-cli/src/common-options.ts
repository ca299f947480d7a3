import type { CommandOptions, OptionValues, Streams } from "./command.ts";

/**
 * Options of every command. They follow the command: `tracing search --url …`, never `tracing --url … search`.
 */
export const commonOptions: CommandOptions = {
  url: {
    type: "string",
    placeholder: "url",
    meaning: "Address of tracing-query with its base path; TRACING_URL, else http://localhost:16686.",
  },
  header: {
    type: "string",
    multiple: true,
    short: "H",
    placeholder: "key: value",
    meaning: "A header of each request, such as `Authorization: Bearer …`; may be given again.",
  },
  tenant: {
    type: "string",
    placeholder: "name",
    meaning: "Tenant, sent as `x-tenant`; else TRACING_TENANT.",
  },
  output: {
    type: "string",
    short: "o",
    placeholder: "format",
    choices: ["table", "json"],
    meaning: "A table, or JSON with one value a line; by default a table on a terminal and JSON in a pipe.",
  },
  help: { type: "boolean", short: "h", meaning: "Print what the command does and its options." },
};

/** Options that name a time, for searches and figures. */
export const timeOptions: CommandOptions = {
  since: {
    type: "string",
    placeholder: "duration",
    default: "1h",
    meaning: "How long before the end to begin: 90s, 15m, 1h30m, 7d.",
  },
  start: {
    type: "string",
    placeholder: "time",
    meaning: "The beginning in place of --since: 2026-01-31T12:00:00Z, or seconds since the Unix epoch.",
  },
  end: { type: "string", placeholder: "time", meaning: "The end; now by default." },
};

/**
 * True when answers are printed as a table for people. Without `--output`, a terminal gets a table and a pipe gets
 * JSON, so that `tracing search | jq` needs no option.
 */
export function wantsTable(values: OptionValues, { output }: Streams): boolean {
  const format = values.text("output");
  return format === "" ? output.isTTY === true : format === "table";
}
