import { readFileSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { schemaVersion } from "storage/clickhouse";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { schemaCommand } from "../src/commands/schema-command.ts";
import { makeTables, program, run } from "./run-command.ts";
import { ask, makeFolder, type RunningStorage, removeFolder, startStorage } from "./running-storage.ts";

/** The statements that made the tables of a version, as it was released. */
function stepsOfSchemas(version: number): string[] {
  const file = join(import.meta.dirname, "../../conformance/test/chaos/cases/schemas-before.sql");
  const steps = readFileSync(file, "utf8")
    .split(/;\n+/)
    .filter((statement) => statement.trim() !== "");
  const end = steps.findIndex((step) =>
    step.includes(`schema_migrations (version, name) SELECT ${version},`),
  );
  return steps.slice(0, end + 1);
}

let folder: string;
let storage: RunningStorage;

beforeAll(async () => {
  folder = await makeFolder();
  storage = await startStorage(join(folder, "data"));
  await makeTables(storage.url);
  await ask(
    storage.url,
    `INSERT INTO tracing.spans (in_tenant, in_service, in_name, in_attributes, trace_id, span_id, start, duration, received)
     SELECT if(number % 2 = 0, 'even', ''), 'shop', 'op-' || number % 7,
       [('raw', 'bytes', unhex('00ff80')), ('n', 'int', toString(number))],
       toFixedString(leftPad(toString(number), 16, '0'), 16), toFixedString(leftPad(toString(number), 8, '0'), 8),
       toDateTime64('2026-11-20 00:00:00', 9, 'UTC') + number, number, toDate('2026-11-21')
     FROM numbers(172800)`,
  );
});

afterAll(async () => {
  await storage.stop();
  await removeFolder(folder);
});

const sum =
  "SELECT count(), sum(cityHash64(*)), countIf(tenant = 'even'), countIf(position(attribute_text, unhex('00ff80')) > 0) FROM tracing.spans";

describe("export and import", () => {
  test("a day goes out, is deleted, and comes back as it was, once", { timeout: 180_000 }, async () => {
    const file = join(folder, "day.parquet");
    const range = ["--from", "2026-11-20", "--to", "2026-11-21T00:00:00Z", "--output", file];
    const exported = await run("export", "--url", storage.url, ...range);
    expect(exported).toMatchObject({ exitCode: 0, errors: "" });
    const day = "WHERE start < toDateTime64('2026-11-21 00:00:00', 9, 'UTC')";
    const before = await ask(storage.url, `${sum} ${day}`);
    expect(before).toMatch(/^86400\t\d+\t43200\t86400$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    await ask(storage.url, "TRUNCATE TABLE tracing.spans");
    for (let time = 0; time < 2; time++) {
      const imported = await run("import", file, "--url", storage.url);
      expect(imported).toMatchObject({ exitCode: 0, errors: "" });
      expect(await ask(storage.url, sum)).toBe(before);
    }
    expect(await ask(storage.url, "SELECT DISTINCT toString(received) FROM tracing.spans")).toBe(
      "2026-11-21",
    );
    const again = await run("export", "--url", storage.url, ...range);
    expect(again.errors).toContain("is there already");
  });

  test.each([
    [
      "a time that there is not",
      ["export", "--from", "2026-13-01", "--to", "2026-12-01", "--output", "x"],
      "--from",
    ],
    ["no output", ["export", "--from", "2026-11-01", "--to", "2026-12-01"], "--output"],
    [
      "a table's name with SQL in it",
      ["export", "--from", "2026-11-01", "--to", "2026-12-01", "--output", "x", "--table", "x; DROP"],
      "is not a plain name",
    ],
    ["no file", ["import"], "name a Parquet file"],
    ["a file that is not there", ["import", "nowhere.parquet"], "cannot read"],
    ["an address that is none", ["import", program, "--url", "nowhere"], "is not an address"],
    ["nobody there", ["import", program, "--url", "http://127.0.0.1:9"], "cannot be reached"],
  ])("%s", async (_name, args, text) => {
    const { exitCode, output, errors } = await run(...args);
    expect([exitCode, output]).toEqual([1, ""]);
    expect(errors).toContain(text);
    expect(errors.trim().split("\n")).toHaveLength(1);
  });

  test("a file from before attributes, events, scopes and details were texts", {
    timeout: 180_000,
  }, async () => {
    const type =
      "Array(Tuple(key String, type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, 'double' = 4), value String))";
    const made = await fetch(storage.url, {
      method: "POST",
      body: `SELECT toFixedString(unhex('${"ee".repeat(16)}'), 16) AS trace_id, 'older' AS service,
  CAST([('k', 'int', '7')], '${type.replaceAll("'", "\\'")}') AS attributes,
  CAST([('host', 'string', 'a')], '${type.replaceAll("'", "\\'")}') AS resource_attributes,
  CAST([(fromUnixTimestamp64Nano(5, 'UTC'), 'retry', [('k', 'int', '7')], 2)], 'Array(Tuple(time DateTime64(9, \\'UTC\\'), name String, attributes ${type.replaceAll("'", "\\'")}, dropped_attributes UInt32))') AS events,
  'pg' AS scope_name, '1.2' AS scope_version, 'https://schema' AS resource_schema_url,
  ['it\\'s late'] AS warnings, toUInt32(3) AS dropped_links
FORMAT Parquet SETTINGS output_format_parquet_string_as_string = 0`,
    });
    const file = join(folder, "older.parquet");
    await writeFile(file, new Uint8Array(await made.arrayBuffer()));
    expect(await run("import", file, "--url", storage.url)).toMatchObject({ exitCode: 0, errors: "" });
    const texts =
      "SELECT hex(attribute_text), hex(resource_text), hex(event_text), hex(scope_text), span_details FROM tracing.spans WHERE service = 'older' FORMAT TSVRaw";
    const schemaUrl = Buffer.from("https://schema").toString("hex").toUpperCase();
    expect(await ask(storage.url, texts)).toBe(
      `FF6BFE6937FF\tFF686F7374FE7361FF\tFD35FC7265747279FF6BFE6937FFFC32\t7067FF312E32FFFF${schemaUrl}\t(0,[],0,0,0,[],3,['it\\'s late'])`,
    );
  });

  test("a file that is no Parquet, and one of another table", async () => {
    const file = join(folder, "no.parquet");
    await writeFile(file, "no parquet");
    expect((await run("import", file, "--url", storage.url)).errors).toContain("cannot read");
    const other = await fetch(storage.url, { method: "POST", body: "SELECT 1 AS x FORMAT Parquet" });
    await writeFile(file, new Uint8Array(await other.arrayBuffer()));
    expect((await run("import", file, "--url", storage.url)).errors).toContain(
      "columns that the table has not: x",
    );
  });
});

test("schema prints what the collector makes", async () => {
  const { output, exitCode } = await run("schema", "--database", "other");
  expect(exitCode).toBe(0);
  expect(output).toContain("CREATE TABLE IF NOT EXISTS other.spans (");
  expect((await run("schema", "--database", "a b")).exitCode).toBe(1);
});

test("schema prints what is made in a cluster, server by server or with ON CLUSTER", async () => {
  const { output, exitCode } = await run("schema", "--cluster", "main");
  expect(exitCode).toBe(0);
  expect(output).toContain(
    "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tracing/spans_local', '{replica}')",
  );
  expect(output).toContain("Distributed('main', 'tracing', 'spans_local', cityHash64(trace_id))");
  expect(output).not.toContain("ON CLUSTER");
  expect((await run("schema", "--cluster", "main", "--on-cluster")).output).toContain(
    "spans_local ON CLUSTER 'main'",
  );
  expect((await run("schema", "--cluster", "a'b")).exitCode).toBe(1);
});

describe("schema --migrate", () => {
  test("brings a server to this version, says from which, and does nothing a second time", async () => {
    await ask(storage.url, "CREATE DATABASE older");
    for (const statement of stepsOfSchemas(5)) {
      await ask(storage.url, statement.replaceAll("tracing.", "older."));
    }
    const args = ["--migrate", "--url", storage.url, "--database"];
    expect(await run("schema", ...args, "older")).toEqual({
      exitCode: 0,
      output: `${storage.url}/: schema 5, now ${schemaVersion}\n`,
      errors: "",
    });
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    for (const database of ["older", "fresh"]) {
      await schemaCommand.run([...args, database]);
    }
    const output = written.mock.calls.map(([line]) => line);
    written.mockRestore();
    expect(output).toEqual([
      `${storage.url}/: schema ${schemaVersion} already\n`,
      `${storage.url}/: schema ${schemaVersion}, new\n`,
    ]);
    const columns = (database: string) =>
      ask(
        storage.url,
        `SELECT count() FROM system.columns WHERE database = '${database}' AND table = 'span_metrics'`,
      );
    expect(await columns("older")).toBe(await columns("fresh"));
  });

  test("leaves a database of a newer version as it is", async () => {
    await ask(storage.url, "CREATE DATABASE newer");
    await ask(
      storage.url,
      "CREATE TABLE newer.schema_migrations (version UInt32) ENGINE = MergeTree ORDER BY version",
    );
    await ask(storage.url, `INSERT INTO newer.schema_migrations VALUES (${schemaVersion + 1})`);
    const args = ["--migrate", "--url", storage.url, "--database", "newer"];
    await expect(schemaCommand.run(args)).rejects.toThrow("use a newer program");
    expect(await ask(storage.url, "SELECT count() FROM system.tables WHERE database = 'newer'")).toBe("1");
  });

  test("--check says what a table lacks, --repair adds it", async () => {
    const args = ["--check", "--url", storage.url, "--database", "older"];
    await ask(
      storage.url,
      "INSERT INTO older.spans (service, name, trace_id, start, received) SELECT 'shop', 'op', toFixedString(toString(number), 16), now64(9), today() - 3 FROM numbers(7)",
    );
    await ask(storage.url, "TRUNCATE TABLE older.span_metrics");
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const codes = [];
    for (const more of [[], ["--repair"], []]) {
      codes.push(await schemaCommand.run([...args, ...more]));
    }
    const output = written.mock.calls.map(([text]) => String(text));
    written.mockRestore();
    expect(codes).toEqual([1, 0, 0]);
    expect(output[0]).toMatch(
      /^span_metrics, \d{4}-\d\d-\d\d, \S+: 7 spans missing\ncompared: 1 days with 7 spans; 1 differences\n$/,
    );
    expect(output[1]).toContain("7 spans missing, added now");
    expect(output[2]).toBe("compared: 1 days with 7 spans; 0 differences\n");
  });

  test.each([
    ["without servers", ["--migrate"], "name the servers with --url"],
    [
      "two changes at once",
      ["--migrate", "--add-shard", "--url", "http://127.0.0.1:9"],
      "one after the other",
    ],
    ["servers that nothing is done at", ["--url", "http://127.0.0.1:9"], "--url goes with"],
    [
      "a repair without a check",
      ["--repair", "--migrate", "--url", "http://127.0.0.1:9"],
      "goes with --check",
    ],
    ["nobody there", ["--migrate", "--url", "http://127.0.0.1:9"], "ECONNREFUSED"],
    [
      "a shard of a single server",
      ["--add-shard", "--url", "http://127.0.0.1:9"],
      "a single server has no shards",
    ],
  ])("is refused: %s", async (_name, args, text) => {
    await expect(schemaCommand.run(args)).rejects.toThrow(text);
  });
});

test("a data folder is for its own user alone, and one of a newer version is left untouched", async () => {
  const path = join(folder, "newer");
  const first = await startStorage(path);
  await first.stop();
  for (const part of ["", "engine", "config", "spool"]) {
    expect((await stat(join(path, part))).mode & 0o077).toBe(0);
  }
  const version = join(path, "version.json");
  for (const newer of ['{"layout":2,"engine":"26.7.2.1"}', '{"layout":1,"engine":"27.1.1.1"}']) {
    await writeFile(version, newer);
    await expect(startStorage(path)).rejects.toThrow("is of a newer version");
    expect(await readFile(version, "utf8")).toBe(newer);
    await expect(stat(join(path, "lock"))).rejects.toThrow("ENOENT");
  }
});
