/**
 * The engine of tracing-storage alone in a process, without HTTP, without a server, and without other work on its
 * threads. It inserts files into the same tables as the store, waits until all merges have ended, and prints one line
 * of JSON. `bench bare` runs it as `bare-engine.ts FOLDER MANNER < files.json`; `InsertManner` describes the manners.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leavingIndexes, schemaStatements } from "storage/clickhouse";
import type { BareUsage } from "./bare-report.ts";
import type { BlockFile } from "./block-files.ts";

/** The functions of chdb's addon that are used; tracing-storage has the addon. */
interface Engine {
  CreateConnection(path: string, settings: readonly string[]): object;
  CloseConnection(connection: object): void;
  QueryAsyncConnection(connection: object, sql: string, format: string): Promise<{ readonly bytes: Buffer }>;
}

const idlePolls = 5;
const pollMs = 200;

const ofStorage = createRequire(new URL("../../../tracing-storage/package.json", import.meta.url));
const { loadNative } = createRequire(ofStorage.resolve("chdb"))("./dist/loader.js") as {
  loadNative(): Engine;
};
const engine = loadNative();
const [folder = "", manner] = process.argv.slice(2);
const path = join(folder, "engine");
// The engine looks for a configuration in the working directory.
process.chdir(folder);

async function run(sql: string, settings: readonly string[] = []): Promise<string> {
  const connection = engine.CreateConnection(path, ["--implicit_select=0", ...settings]);
  try {
    return (await engine.QueryAsyncConnection(connection, sql, "TSV")).bytes.toString().trim();
  } finally {
    engine.CloseConnection(connection);
  }
}

async function insert({ path: file, format, columns, rows }: BlockFile, token: string): Promise<void> {
  const settings = {
    ...(manner === "as-collector" && leavingIndexes),
    insert_deduplication_token: `${new Date().toISOString().slice(0, 10)}/${token}`,
    deduplicate_blocks_in_dependent_materialized_views: 1,
    async_insert: 0,
    max_insert_block_size: rows + 1,
    min_insert_block_size_rows: rows,
    min_insert_block_size_bytes: 0,
  };
  const sql = `INSERT INTO tracing.spans (${columns.join(", ")}) FROM INFILE '${file}' COMPRESSION 'none' FORMAT ${format}`;
  await run(
    sql,
    Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  );
}

async function untilMerged(): Promise<void> {
  for (let idle = 0; idle < idlePolls; ) {
    idle = (await run("SELECT count() FROM system.merges")) === "0" ? idle + 1 : 0;
    await sleep(pollMs);
  }
}

const startMs = performance.now();
const startCpu = process.cpuUsage();

function usage(): BareUsage {
  const { user, system } = process.cpuUsage(startCpu);
  return { seconds: (performance.now() - startMs) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

const files = JSON.parse(readFileSync(0, "utf8")) as BlockFile[];
const anchor = engine.CreateConnection(path, []);
for (const statement of schemaStatements("tracing")) {
  await run(statement);
}
const before = usage();
const left = files.entries();
const insertsAtATime = manner === "as-collector" ? 1 : availableParallelism();
await Promise.all(
  Array.from({ length: insertsAtATime }, async () => {
    for (const [index, file] of left) {
      await insert(file, `bare-${index}`);
    }
  }),
);
const inserted = usage();
await untilMerged();
const merged = usage();
const rows = Number(await run("SELECT count() FROM tracing.spans"));
const [parts = 0, bytes = 0] = (
  await run(
    "SELECT countIf(table = 'spans'), sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'tracing'",
  )
)
  .split("\t")
  .map(Number);
engine.CloseConnection(anchor);
process.stdout.write(`${JSON.stringify({ before, inserted, merged, rows, parts, bytes })}\n`);
process.exit(0);
