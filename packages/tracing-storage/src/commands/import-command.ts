import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { type ProcessCommand, parseOptions, StartError } from "lifecycle";
import { z } from "zod";
import { loadNativeBinding } from "../engine/native-binding.ts";
import { toEngineError } from "../engine-error.ts";
import { quoteString } from "../sql/statement.ts";
import { Progress } from "./progress.ts";
import { columnsTakenAs, Server, serverOptions, storedColumns } from "./server-options.ts";

const importOptions = z.object({
  ...serverOptions.shape,
  table: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a plain name: letters, digits and _")
    .default("spans")
    .describe("Table that takes the rows."),
});

/**
 * Rows of each insert of the import. This number must never change, because a repeated import must make the same
 * inserts.
 */
const blockRows = 50_000;

/** SHA-256 of the file. It is part of each block's token, so that the store recognizes a repeated import. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw new StartError(`import: cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  return hash.digest("hex");
}

/** Rows for one insert. */
interface Block {
  /** The table's columns that receive the data, quoted for SQL. */
  readonly names: readonly string[];
  /** Rows in format Native. */
  readonly bytes: Buffer;
}

/**
 * Reads a Parquet file in blocks, which are the same in every run. It uses a separate embedded engine, because the
 * server's engine would need the whole file in one body.
 */
async function* readBlocks(
  path: string,
  columns: readonly string[],
  takenAs: ReadonlyMap<string, string>,
): AsyncGenerator<Block> {
  const native = loadNativeBinding();
  const folder = await mkdtemp(join(tmpdir(), "tracing-storage-import-"));
  const connection = native.CreateConnection(folder, [
    "--max_threads=1",
    `--max_block_size=${blockRows}`,
    "--preferred_block_size_bytes=0",
    "--input_format_parquet_preserve_order=1",
    `--input_format_parquet_max_block_size=${blockRows}`,
  ]);
  try {
    const file = `file(${quoteString(path)}, Parquet)`;
    const described = await native.QueryAsyncConnection(connection, `DESCRIBE ${file}`, "JSONEachRow");
    const inFile = new Set(
      described.bytes
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { name: string }).name),
    );
    const isKnown = (name: string) => columns.includes(name) || takenAs.has(name);
    const unknown = [...inFile].filter((name) => !isKnown(name));
    if (unknown.length > 0 || !columns.some((name) => inFile.has(name))) {
      throw new StartError(
        `import: ${path} has columns that the table has not: ${(unknown.length > 0 ? unknown : [...inFile]).join(", ")}`,
      );
    }
    const stored = columns.filter((name) => inFile.has(name));
    const renamed = [...inFile].filter((name) => !columns.includes(name));
    const names = [...stored, ...renamed.map((name) => takenAs.get(name) ?? name)].map(quoted);
    const selected = [...stored, ...renamed].map(quoted);
    const list = selected.map((name, index) => `${name} AS ${names[index]}`).join(", ");
    const stream = native.StreamQuery(connection, `SELECT ${list} FROM ${file}`, "Native");
    for (;;) {
      const { bytes, done } = await native.StreamFetch(stream);
      if (done) {
        return;
      }
      if (bytes.length > 0) {
        yield { names, bytes };
      }
    }
  } catch (error) {
    throw error instanceof StartError
      ? error
      : new StartError(`import: cannot read ${path}: ${toEngineError(error).message}`, { cause: error });
  } finally {
    native.CloseConnection(connection);
    await rm(folder, { recursive: true, force: true });
  }
}

/** A column's name, quoted for SQL. */
function quoted(name: string): string {
  return `\`${name}\``;
}

/**
 * Inserts block after block. The token of a block is the file's hash and the block's number: `import/9f86…/3`. The
 * store ignores blocks that it already has, so an interrupted import can simply be repeated.
 */
async function runImport(args: readonly string[]): Promise<number> {
  const [file, ...rest] = args;
  if (file === undefined || file.startsWith("-")) {
    throw new StartError("import: name a Parquet file first: import x.parquet --url http://127.0.0.1:8123");
  }
  const { options } = parseOptions(importOptions, { arguments: rest, environment: {} });
  const { database, table } = options;
  const path = resolve(file);
  const hash = await hashOf(path);
  const server = new Server(options);
  const columns = await storedColumns(server, database, table);
  const takenAs = await columnsTakenAs(server, database, table);
  const progress = new Progress();
  let blocks = 0;
  let rows = 0;
  try {
    for await (const { names, bytes } of readBlocks(path, columns, takenAs)) {
      const response = await server.send(
        {
          query: `INSERT INTO ${database}.${table} (${names.join(", ")}) FORMAT Native`,
          insert_deduplication_token: `import/${hash}/${blocks}`,
          deduplicate_blocks_in_dependent_materialized_views: "1",
          async_insert: "0",
          max_insert_block_size: String(blockRows + 1),
          min_insert_block_size_rows: String(blockRows),
          min_insert_block_size_bytes: "0",
        },
        bytes,
      );
      const summary = JSON.parse(response.headers.get("x-clickhouse-summary") ?? "{}") as {
        written_rows?: string;
      };
      await response.body?.cancel();
      blocks++;
      rows += Number(summary.written_rows ?? 0);
      progress.show(() => `${rows} rows`);
    }
  } finally {
    progress.end();
  }
  process.stdout.write(
    `${file}: ${rows} rows in ${blocks} blocks; those that were there already are there once\n`,
  );
  return 0;
}

/** `import x.parquet`: inserts the rows of an exported file. Repeating the command inserts no row twice. */
export const importCommand: ProcessCommand = {
  name: "import",
  meaning:
    "Take in a file that export wrote: import x.parquet [--url --user --password-file --database --table].",
  operands: "FILE",
  options: importOptions,
  run: runImport,
};
