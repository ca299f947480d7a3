import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ProcessCommand, parseOptions, StartError } from "lifecycle";
import { z } from "zod";
import { Progress } from "./progress.ts";
import { Server, serverOptions, storedColumns } from "./server-options.ts";

/** A day, or a time of a day, in UTC. */
const time = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z?)?$/,
    "is not a time in UTC such as 2026-11-21 or 2026-11-21T08:30:00Z",
  )
  .refine((text) => !Number.isNaN(Date.parse(text)), "is not a time that there is");

const exportOptions = z.object({
  ...serverOptions.shape,
  table: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a plain name: letters, digits and _")
    .default("spans")
    .describe("Table that is exported."),
  "time-column": z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a plain name: letters, digits and _")
    .default("start")
    .describe("Column that --from and --to mean."),
  from: time.describe("First moment of the range, in UTC."),
  to: time.describe("First moment behind the range, in UTC."),
  output: z.string().min(1).describe("Parquet file; it must not be there yet."),
});

/** A time as ClickHouse reads it: `2026-11-21T08:30Z` becomes `2026-11-21 08:30:00`. */
function clickHouseTime(text: string): string {
  const [date = "", clock = "00:00:00"] = text.replace("Z", "").split(/[T ]/);
  return `${date} ${clock.length === 5 ? `${clock}:00` : clock}`;
}

/**
 * Writes to `FILE.part`, which is renamed at the end. If an export is interrupted, no file has the name in `--output`,
 * so a file with this name is always complete.
 */
async function runExport(args: readonly string[]): Promise<number> {
  const { options } = parseOptions(exportOptions, { arguments: args, environment: {} });
  const { database, table, output } = options;
  if (await stat(output).catch(() => undefined)) {
    throw new StartError(`option --output: ${output} is there already`);
  }
  const server = new Server(options);
  const columns = await storedColumns(server, database, table);
  const column = options["time-column"];
  if (!columns.includes(column)) {
    throw new StartError(`option --time-column: ${database}.${table} has no column ${column}`);
  }
  const search = {
    param_from: clickHouseTime(options.from),
    param_to: clickHouseTime(options.to),
    // Text that is not UTF-8 is exported unchanged.
    output_format_parquet_string_as_string: "0",
    max_execution_time: "0",
    max_result_bytes: "0",
  };
  const condition = `${column} >= {from:DateTime64(9, 'UTC')} AND ${column} < {to:DateTime64(9, 'UTC')}`;
  const names = columns.map((name) => `\`${name}\``).join(", ");
  const response = await server.send(
    search,
    `SELECT ${names} FROM ${database}.${table} WHERE ${condition} FORMAT Parquet`,
  );
  const progress = new Progress();
  const unfinished = `${output}.part`;
  let bytes = 0;
  try {
    if (response.body === null) {
      throw new StartError("the server sent no body");
    }
    await pipeline(
      Readable.fromWeb(response.body),
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          progress.show(() => `${(bytes / 1e6).toFixed(1)} MB`);
          yield chunk;
        }
      },
      createWriteStream(unfinished, { mode: 0o600 }),
    );
    await rename(unfinished, output);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error instanceof StartError
      ? error
      : new StartError(`the export broke off, nothing is kept: ${(error as Error).message}`, {
          cause: error,
        });
  } finally {
    progress.end();
  }
  process.stdout.write(`${output}: ${bytes} bytes\n`);
  return 0;
}

/** `export --from … --to … --output x.parquet`: writes a range of time to one Parquet file with all columns. */
export const exportCommand: ProcessCommand = {
  name: "export",
  meaning:
    "Write spans of a range of time to a Parquet file: export --from 2026-11-20 --to 2026-11-21 --output x.parquet " +
    "[--url --user --password-file --database --table].",
  options: exportOptions,
  run: runExport,
};
