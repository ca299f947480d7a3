import { type ProcessCommand, parseOptions } from "lifecycle";
import { schemaStatements } from "storage/clickhouse";
import { z } from "zod";

const schemaOptions = z.object({
  database: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a plain name: letters, digits and _")
    .default("tracing")
    .describe("Database of the spans."),
});

/**
 * `schema`: the statements that make the tables of spans, as collector and query run them by themselves. It needs no
 * server: it is for those who prepare one.
 */
export const schemaCommand: ProcessCommand = {
  name: "schema",
  meaning: "Print the SQL that makes the tables of spans: schema [--database tracing].",
  async run(args) {
    const { options } = parseOptions(schemaOptions, { arguments: args, environment: {} });
    process.stdout.write(`${schemaStatements(options.database).join(";\n\n")};\n`);
    return 0;
  },
};
