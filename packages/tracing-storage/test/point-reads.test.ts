import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { open, readdir, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, makeFolder, type RunningStorage, removeFolder, startStorage } from "./running-storage.ts";

const columns = ["service", "trace_id", "start", "name"] as const;
/** Minutes around which spans lie. */
const noon = "toDateTime64('2026-01-05 12:00:00', 9, 'UTC')";
const reader = { user: "reader", password: "r" };

let folder: string;
let storage: RunningStorage;
let adminUrl: string;
let databases = 0;
/** Folder of a test. */
let database: string;

beforeAll(async () => {
  folder = await makeFolder();
  const [admin = ""] = await freeAddresses(1);
  adminUrl = `http://${admin}`;
  storage = await startStorage(
    folder,
    `--admin.http.host-port=${admin}`,
    "--storage.http.user=owner",
    "--storage.http.password=o",
    `--storage.http.read-only-user=${reader.user}`,
    `--storage.http.read-only-password=${reader.password}`,
  );
});

afterAll(async () => {
  await storage?.stop();
  await removeFolder(folder);
});

/** True when the tests of a group share one database, which they only read. */
let isShared = false;

beforeEach(async () => {
  if (!isShared) {
    await createDatabase();
  }
});

async function createDatabase(): Promise<void> {
  database = `d${++databases}`;
  await sql(`CREATE DATABASE ${database}`);
  await createTables();
}

async function createTables(): Promise<void> {
  // An insert is not synced to the disk: nothing here is lost with the power.
  const settings =
    "index_granularity = 256, min_bytes_for_wide_part = 2147483648, fsync_after_insert = 0, fsync_part_directory = 0, min_rows_to_fsync_after_merge = 0";
  await sql(
    `CREATE TABLE ${database}.spans (received Date, tenant LowCardinality(String), service LowCardinality(String), ` +
      "trace_id FixedString(16), start DateTime64(9, 'UTC'), name String, " +
      "INDEX trace_id_index trace_id TYPE bloom_filter(0.01) GRANULARITY 1) ENGINE = MergeTree " +
      "PARTITION BY received ORDER BY (service, toStartOfMinute(start)) " +
      `SETTINGS ${settings}`,
  );
  await sql(
    `CREATE TABLE ${database}.trace_minutes (received Date, trace_id FixedString(16), minute DateTime('UTC')) ` +
      "ENGINE = ReplacingMergeTree PARTITION BY received ORDER BY (trace_id, minute) " +
      `SETTINGS ${settings}`,
  );
  await sql(
    `CREATE MATERIALIZED VIEW ${database}.trace_minutes_view TO ${database}.trace_minutes AS ` +
      `SELECT DISTINCT received, trace_id, toStartOfMinute(start) AS minute FROM ${database}.spans`,
  );
}

/** Runs one statement as the owner. */
async function sql(text: string, settings: Record<string, string> = {}): Promise<string> {
  const search = new URLSearchParams({ user: "owner", password: "o", ...settings });
  return await ask(`${storage.url}/?${search}`, text);
}

/** The id of a trace in these tables: a number in hex. */
function hexOf(trace: number): string {
  return trace.toString(16).padStart(32, "0");
}

interface Span {
  readonly received?: string;
  readonly tenant?: string;
  readonly service?: string;
  readonly trace: number;
  readonly second?: number;
  readonly name?: string;
}

async function insert(...spans: readonly Span[]): Promise<void> {
  const text = (value: string) => `'${value.replace(/[\\']/g, "\\$&")}'`;
  const rows = spans.map(
    ({
      received = "2026-01-05",
      tenant = "t",
      service = "shop",
      trace,
      second = trace,
      name = `n${trace}`,
    }) =>
      `('${received}', ${text(tenant)}, ${text(service)}, unhex('${hexOf(trace)}'), ${noon} + ${second}, ${text(name)})`,
  );
  await sql(
    `INSERT INTO ${database}.spans (received, tenant, service, trace_id, start, name) VALUES ${rows.join(", ")}`,
  );
}

/** Inserts many spans at once, in `traces` traces one after another, in some services, two tenants and two days. */
async function insertMany(count: number, traces: number): Promise<void> {
  await sql(
    `INSERT INTO ${database}.spans (received, tenant, service, trace_id, start, name) SELECT ` +
      `toDate('2026-01-05') + intDiv(number, ${traces}) % 2, if(number % ${traces} % 5 = 0, 'other', 't'), ` +
      `if(number % 3 = 0, 's' || toString(number % 17), 'shop'), ` +
      `unhex(leftPad(lower(hex(toUInt32(number % ${traces}))), 32, '0')), ${noon} + number % 900, 'n' || toString(number) FROM numbers(${count})`,
  );
}

function pointStatement(traces: readonly number[], names: readonly string[] = columns): string {
  const [first, ...further] = traces.map((trace) => `'${hexOf(trace).replaceAll(/../g, "\\x$&")}'`);
  const named = further.length === 0 ? `= ${first}` : `IN (${[first, ...further].join(", ")})`;
  return (
    `SELECT ${names.join(", ")} FROM ${database}.spans PREWHERE trace_id ${named} ` +
    "WHERE tenant = {tenant:String} AND indexHint((received, toStartOfMinute(start)) IN " +
    `(SELECT received, minute FROM ${database}.trace_minutes WHERE trace_id ${named})) ` +
    "SETTINGS max_threads = 1, ignore_data_skipping_indices = 'start_index', use_uncompressed_cache = 1, " +
    "merge_tree_max_rows_to_use_cache = 262144, output_format_parallel_formatting = 0 FORMAT RowBinary"
  );
}

/** The result: rows in their own order, or the code of an error. */
type Answer = { readonly rows: readonly string[] } | { readonly code: string | null };

interface Question {
  readonly names?: readonly string[];
  /** Tenant as it is written in the address of the request. */
  readonly tenant?: string;
  readonly search?: Record<string, string>;
  readonly by?: "engine";
}

async function point(traces: readonly number[], question: Question = {}): Promise<Answer> {
  const { names = columns, tenant = "t", search = {}, by } = question;
  const parameters = new URLSearchParams({
    ...{ user: "owner", password: "o", readonly: "2", wait_end_of_query: "1", param_tenant: tenant },
    // The setting changes nothing, but statements with it are not answered from parts.
    ...(by === "engine" ? { max_columns_to_read: "0" } : {}),
    ...search,
  });
  const response = await fetch(`${storage.url}/?${parameters}`, {
    method: "POST",
    body: pointStatement(traces, names),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) {
    return { code: response.headers.get("x-clickhouse-exception-code") };
  }
  return { rows: rowsOf(bytes, names) };
}

/** All other columns are texts. */
const widths: Readonly<Record<string, number>> = { trace_id: 16, start: 8, received: 2, number: 8, small: 4 };

function rowsOf(bytes: Buffer, names: readonly string[]): string[] {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const begin = at;
    for (const name of names) {
      let length = widths[name] ?? 0;
      if (length === 0) {
        for (let shift = 0, more = true; more; shift += 7) {
          const byte = bytes[at++] ?? 0;
          length += (byte & 0x7f) * 2 ** shift;
          more = byte >= 0x80;
        }
      }
      at += length;
    }
    rows.push(bytes.subarray(begin, at).toString("latin1"));
  }
  return rows.sort();
}

/** Statements that parts have answered. */
async function byParts(): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^tracing_storage_point_reads_total\{by="parts"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Resolves when parts answer this: the thread begins with the first statement, and tables that were changed wait some time. */
async function untilByParts(traces: readonly number[], question: Question = {}): Promise<void> {
  const before = await byParts();
  await expect
    .poll(
      async () => {
        await point(traces, question);
        return await byParts();
      },
      { timeout: 180_000 },
    )
    .toBeGreaterThan(before);
}

/** Asks both. @returns the engine's answer */
async function expectSame(traces: readonly number[], question: Question = {}): Promise<Answer> {
  const own = await point(traces, question);
  const engine = await point(traces, { ...question, by: "engine" });
  expect(own).toEqual(engine);
  return engine;
}

const countOf = (answer: Answer) => ("rows" in answer ? answer.rows.length : -1);

test("the same rows as the engine's, of one trace and of several", async () => {
  await insertMany(6_000, 300);
  await insertMany(1_500, 400);
  await untilByParts([1]);
  const before = await byParts();
  const groups = [
    [1, 2],
    [5, 6, 7, 399],
    [100_000],
    [1, 100_000],
    Array.from({ length: 30 }, (_, n) => n * 9),
  ];
  const questions = [...Array.from({ length: 12 }, (_, n) => [n * 35]), ...groups];
  for (const traces of questions) {
    for (const tenant of ["t", "other"]) {
      await expectSame(traces, { tenant });
    }
  }
  await expectSame([1], { tenant: "nobody" });
  expect(countOf(await expectSame([1]))).toBe(24);
  expect((await byParts()) - before).toBeGreaterThan(2 * questions.length - 5);
  await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
  await sql(`OPTIMIZE TABLE ${database}.trace_minutes FINAL`);
  await untilByParts([1]);
  for (const traces of questions) {
    await expectSame(traces);
  }
});

test("what was inserted is seen at once", async () => {
  await insert({ trace: 1 });
  await untilByParts([1]);
  const before = await byParts();
  const missed: number[] = [];
  for (let trace = 1_000; trace < 1_030; trace++) {
    await insert({ trace, second: trace % 120 }, { trace: 7, second: trace % 120 });
    if (countOf(await point([trace])) !== 1) {
      missed.push(trace);
    }
    if (countOf(await point([7])) !== trace - 999) {
      missed.push(trace);
    }
  }
  expect(missed).toEqual([]);
  expect((await byParts()) - before).toBeGreaterThan(30);
});

describe("the engine's answer after a change", () => {
  const title = ["service", "trace_id", "start", "title"];
  const number = ["trace_id", "number"];

  beforeEach(async () => {
    await insertMany(3_000, 100);
    await insert({ trace: 5_000, received: "2026-01-07" });
    await untilByParts([1]);
  });

  /** Mutations wait in a queue when there are few threads for them. */
  const inTime = { timeout: 60_000 };
  const unfinished = () =>
    `SELECT count() FROM system.mutations WHERE database = '${database}' AND NOT is_done`;

  /** Asks several times: the first answer comes from the engine, later ones may come from parts. */
  async function expectSameForSomeTime(question: Question = {}): Promise<Answer> {
    let answer: Answer = { rows: [] };
    for (let time = 0; time < 3; time++) {
      for (const traces of [[1], [2, 3, 5_000]]) {
        answer = await expectSame(traces, question);
      }
    }
    return answer;
  }

  test("ADD COLUMN, with a default and without", async () => {
    await sql(
      `ALTER TABLE ${database}.spans ADD COLUMN title String DEFAULT concat(name, '!'), ADD COLUMN number UInt64`,
    );
    await expectSameForSomeTime();
    await expectSameForSomeTime({ names: title });
    await expectSameForSomeTime({ names: number });
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime({ names: title });
    await expectSameForSomeTime({ names: number });
  });

  test.each(["0", "2"])("RENAME COLUMN, alter_sync = %s", async (alter_sync) => {
    await sql(`ALTER TABLE ${database}.spans RENAME COLUMN name TO title`, {
      alter_sync,
      mutations_sync: alter_sync,
    });
    expect(await expectSame([1])).toEqual({ code: "47" });
    await expectSameForSomeTime({ names: title });
    await expectSameForSomeTime();
  });

  test.each(["0", "2"])("DROP COLUMN, alter_sync = %s", async (alter_sync) => {
    await sql(`ALTER TABLE ${database}.spans DROP COLUMN name`, { alter_sync, mutations_sync: alter_sync });
    expect(await expectSame([1])).toEqual({ code: "47" });
    await expectSameForSomeTime();
    await expectSameForSomeTime({ names: ["service", "start"] });
  });

  test.each([
    ["0", "LowCardinality(String)"],
    ["2", "LowCardinality(String)"],
    ["0", "FixedString(16)"],
    ["2", "FixedString(16)"],
  ])("MODIFY COLUMN, alter_sync = %s: %s", async (alter_sync, type) => {
    await sql(`ALTER TABLE ${database}.spans MODIFY COLUMN name ${type}`, {
      alter_sync,
      mutations_sync: alter_sync,
    });
    const names = type.startsWith("Fixed") ? ["trace_id", "start"] : columns;
    await expectSameForSomeTime({ names });
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime({ names });
    // The bytes of a value differ from the bytes of a text.
    for (const traces of [[1], [2, 3]]) {
      const all = ["trace_id", "start", "name"];
      const answers = await Promise.all([
        point(traces, { names: all }),
        point(traces, { names: all, by: "engine" }),
      ]);
      expect(answers[0]).toEqual(answers[1]);
    }
  });

  test("a column that is computed from now on", async () => {
    await sql(`ALTER TABLE ${database}.spans MODIFY COLUMN name String ALIAS concat(service, '?')`);
    await expectSameForSomeTime();
  });

  test("a partition that comes back with a column that was dropped", async () => {
    await sql(`ALTER TABLE ${database}.spans DROP PARTITION '2026-01-06', DROP PARTITION '2026-01-07'`);
    await sql(`ALTER TABLE ${database}.spans DETACH PARTITION '2026-01-05'`);
    await sql(`ALTER TABLE ${database}.spans DROP COLUMN name`, { alter_sync: "2" });
    await sql(`ALTER TABLE ${database}.spans ATTACH PARTITION '2026-01-05'`);
    expect(await expectSame([1])).toEqual({ code: "47" });
    await expectSameForSomeTime();
  });

  test.each(["0", "2"])("UPDATE, mutations_sync = %s", async (mutations_sync) => {
    await sql(`ALTER TABLE ${database}.spans UPDATE name = concat(name, ' new') WHERE service = 'shop'`, {
      mutations_sync,
    });
    await expectSettled();
  });

  test.each(["0", "2"])("DELETE, mutations_sync = %s", async (mutations_sync) => {
    await sql(`ALTER TABLE ${database}.spans DELETE WHERE service = 'shop'`, { mutations_sync });
    await expectSettled();
  });

  test.each(["0", "2"])("a light DELETE, lightweight_deletes_sync = %s", async (lightweight_deletes_sync) => {
    await sql(`DELETE FROM ${database}.spans WHERE service = 'shop'`, { lightweight_deletes_sync });
    await expect.poll(() => sql(unfinished()), inTime).toBe("0");
    await expectSameForSomeTime();
    expect(countOf(await expectSame([1]))).toBe(10);
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime();
  });

  test("a light UPDATE and a light DELETE by patches", async () => {
    await sql(
      `ALTER TABLE ${database}.spans MODIFY SETTING enable_block_number_column = 1, enable_block_offset_column = 1`,
    );
    await insertMany(1_000, 100);
    const settings = { enable_lightweight_update: "1", lightweight_delete_mode: "lightweight_update_force" };
    await sql(`UPDATE ${database}.spans SET name = concat(name, ' new') WHERE service = 'shop'`, settings);
    await expectSameForSomeTime();
    await sql(`DELETE FROM ${database}.spans WHERE service = 's3'`, settings);
    await expectSameForSomeTime();
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime();
  });

  /**
   * For a change that may still be running: the answer is either the old one or the new one; at the end, all parts have
   * the new one.
   */
  async function expectSettled(): Promise<void> {
    const old = await point([1], { by: "engine" });
    const first = await point([1]);
    const later = await point([1], { by: "engine" });
    // Days are changed one after the other, so that between two days the answer may be a third one.
    if (JSON.stringify(old) === JSON.stringify(later)) {
      expect(first).toEqual(old);
    }
    await expect.poll(() => sql(unfinished()), inTime).toBe("0");
    await expectSameForSomeTime();
    await untilByParts([1]);
    await expectSameForSomeTime();
  }

  test("DROP PARTITION, and TRUNCATE", async () => {
    await sql(`ALTER TABLE ${database}.spans DROP PARTITION '2026-01-05'`);
    await expectSameForSomeTime();
    expect(countOf(await expectSame([1]))).toBe(15);
    await sql(`TRUNCATE TABLE ${database}.spans`);
    expect(await expectSame([1])).toEqual({ rows: [] });
    await insertMany(500, 50);
    expect(countOf(await expectSame([1]))).toBe(10);
    await sql(`TRUNCATE TABLE ${database}.trace_minutes`);
    expect(await expectSame([1])).toEqual({ rows: [] });
    await expectSameForSomeTime();
  });

  test("DROP TABLE, and another one in its place", async () => {
    await sql(`DROP TABLE ${database}.spans`);
    expect(await expectSame([1])).toEqual({ code: "60" });
    await sql(`DROP TABLE ${database}.trace_minutes, ${database}.trace_minutes_view`);
    expect(await expectSame([1])).toEqual({ code: "60" });
    await createTables();
    expect(await expectSame([1])).toEqual({ rows: [] });
    await insert({ trace: 1 });
    expect(countOf(await expectSame([1]))).toBe(1);
    await sql(`DROP DATABASE ${database}`);
    expect(await expectSame([1])).toEqual({ code: "81" });
  });

  test("DROP TABLE of a list that fails behind it", async () => {
    await expect(sql(`DROP TABLE ${database}.spans, ${database}.missing`)).rejects.toThrow("Code: 60");
    await expectSameForSomeTime();
  });

  test("RENAME TABLE of a list that fails behind it", async () => {
    await expect(
      sql(`RENAME TABLE ${database}.spans TO ${database}.away, ${database}.missing TO ${database}.nowhere`),
    ).rejects.toThrow("Code: ");
    await expectSameForSomeTime();
  });

  test("RENAME and EXCHANGE TABLES, and RENAME DATABASE", async () => {
    await sql(`CREATE TABLE ${database}.other AS ${database}.spans`);
    await sql(
      `INSERT INTO ${database}.other SELECT * REPLACE ('other' AS name) FROM ${database}.spans WHERE trace_id = unhex('${hexOf(1)}')`,
    );
    await sql(`EXCHANGE TABLES ${database}.spans AND ${database}.other`);
    await expectSameForSomeTime();
    await sql(`EXCHANGE TABLES ${database}.spans AND ${database}.other`);
    await expectSameForSomeTime();
    await sql(`RENAME TABLE ${database}.spans TO ${database}.away`);
    expect(await expectSame([1])).toEqual({ code: "60" });
    await sql(`RENAME TABLE ${database}.other TO ${database}.spans`);
    expect(countOf(await expectSame([1]))).toBe(30);
    await expectSameForSomeTime();
  });

  test("DETACH and ATTACH of a partition, a part, a table; REPLACE PARTITION", async () => {
    for (const what of ["DETACH", "ATTACH", "DETACH", "ATTACH"]) {
      await sql(`ALTER TABLE ${database}.spans ${what} PARTITION '2026-01-05'`);
      expect(countOf(await expectSame([1]))).toBe(what === "DETACH" ? 15 : 30);
      await expectSameForSomeTime();
    }
    await sql(`DETACH TABLE ${database}.spans`);
    expect(await expectSame([1])).toEqual({ code: "60" });
    await sql(`ATTACH TABLE ${database}.spans`);
    await expectSameForSomeTime();
    await sql(`CREATE TABLE ${database}.other AS ${database}.spans`);
    await sql(`INSERT INTO ${database}.other SELECT * REPLACE ('other' AS name) FROM ${database}.spans`);
    await sql(`ALTER TABLE ${database}.spans REPLACE PARTITION '2026-01-05' FROM ${database}.other`);
    await expectSameForSomeTime();
    await sql(`ALTER TABLE ${database}.spans MOVE PARTITION '2026-01-06' TO TABLE ${database}.other`);
    await expectSameForSomeTime();
  });

  test("a row policy, where there may be one", async () => {
    const made = await sql(`CREATE ROW POLICY p ON ${database}.spans USING service = 'shop' TO ALL`).then(
      () => true,
      (error: Error) => {
        expect(error.message).toMatch(/^Code: \d+/);
        return false;
      },
    );
    await expectSameForSomeTime();
    if (made) {
      await sql(`DROP ROW POLICY p ON ${database}.spans`);
    }
    await expectSameForSomeTime();
  });

  test("a TTL, an index that is dropped, another codec", async () => {
    await sql(`ALTER TABLE ${database}.spans DROP INDEX trace_id_index`);
    await expectSameForSomeTime();
    await sql(
      `ALTER TABLE ${database}.spans MODIFY COLUMN name CODEC(ZSTD(3)), MODIFY COLUMN start CODEC(DoubleDelta, LZ4)`,
    );
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime();
    await sql(`ALTER TABLE ${database}.spans MODIFY TTL received + INTERVAL 1 DAY`);
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime();
  });

  test("parts with a file for each column", async () => {
    await sql(`ALTER TABLE ${database}.spans MODIFY SETTING min_bytes_for_wide_part = 0`);
    await insert({ trace: 1 });
    await expectSameForSomeTime();
    await sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    await expectSameForSomeTime();
  });
});

describe("a request's parameters", () => {
  const tenants = [
    ["a backslash", "a\\b", "a\\\\b"],
    ["a tab", "a\tb", "a\\tb"],
    ["a line", "a\nb", "a\\nb"],
    ["a quote", "a'b\"`", "a\\'b\"`"],
    ["a plain quote", "a'b", "a'b"],
    ["unicode", "žluťoučký 🦊", "žluťoučký 🦊"],
    ["nothing", "", ""],
    ["what means NULL", "\\N", "\\\\N"],
    ["a percent", "100%25+1", "100%25+1"],
  ] as const;

  /** True when parts have answered in the database that these tests share. */
  let isByParts = false;

  beforeAll(async () => {
    await createDatabase();
    isShared = true;
    await insertMany(1_000, 100);
    const names = ["t", "a", "\t", "a\r", "a\0b", ...tenants.map(([, tenant]) => tenant)];
    await insert(...names.map((tenant) => ({ trace: 5_000, tenant })));
  });
  beforeEach(async () => {
    if (!isByParts) {
      await untilByParts([1]);
      isByParts = true;
    }
  });
  afterAll(() => {
    isShared = false;
  });

  test.each(tenants)("a tenant with %s", async (_name, _tenant, escaped) => {
    expect(countOf(await expectSame([5_000], { tenant: escaped }))).toBe(1);
  });

  test.each(["a\tb", "a\nb", "\t", "a\r", "\\N", "a\\qb", "a\0b", "a\\"])(
    "a value that is not escaped as it should be: %j",
    async (tenant) => {
      await expectSame([5_000], { tenant });
    },
  );

  test("no tenant", async () => {
    const without = async (search: Record<string, string>) =>
      await (
        await fetch(`${storage.url}/?${new URLSearchParams({ user: "owner", password: "o", ...search })}`, {
          method: "POST",
          body: pointStatement([1]),
        })
      ).arrayBuffer();
    expect(Buffer.from(await without({})).toString()).toMatch(/^Code: 456\./);
  });

  test.each([
    { max_execution_time: "30", max_threads: "1" },
    { max_result_rows: "1" },
    { max_threads: "many" },
    { max_execution_time: "-1" },
    { use_uncompressed_cache: "perhaps" },
    { readonly: "1" },
    { readonly: "7" },
    { database: "missing" },
    { database: "system" },
    { session_id: "one" },
    { default_format: "CSV" },
    { "param_a-b": "1" },
    { param_other: "1" },
  ])("settings and parameters besides: %j", async (search) => {
    await expectSame([1], { search: search as Record<string, string> });
  });

  test("what is said of the answer", async () => {
    const headers = async (search: Record<string, string>) => {
      const response = await fetch(
        `${storage.url}/?${new URLSearchParams({ user: "owner", password: "o", param_tenant: "t", query_id: "q", wait_end_of_query: "1", ...search })}`,
        { method: "POST", body: pointStatement([1]) },
      );
      await response.arrayBuffer();
      const names = ["content-type", "content-length", "x-clickhouse-format", "x-clickhouse-query-id"];
      const { result_rows } = JSON.parse(response.headers.get("x-clickhouse-summary") ?? "{}");
      return [response.status, ...names.map((name) => response.headers.get(name)), result_rows];
    };
    expect(await headers({})).toEqual(await headers({ max_columns_to_read: "0" }));
    expect(await headers({ compress: "1" })).toEqual(
      await headers({ compress: "1", max_columns_to_read: "0" }),
    );
  });

  test("a read-only user gets the same", async () => {
    const before = await byParts();
    for (const traces of [[1], [2, 3], [7]]) {
      const answer = await expectSame(traces, { search: reader });
      expect(answer).toEqual(await point(traces));
    }
    expect((await byParts()) - before).toBe(6);
    await expectSame([1], { search: { ...reader, password: "wrong" } });
  });

  test("a read-only user that asks for more than it may have", async () => {
    expect(await expectSame([1], { search: { ...reader, max_execution_time: "1000000" } })).toEqual({
      code: "452",
    });
  });
});

test("nothing is lost or doubled while parts are merged and written", async () => {
  const traces = 50;
  const perTrace = 20;
  for (let time = 0; time < 4; time++) {
    await insertMany((traces * perTrace) / 4, traces);
  }
  await untilByParts([1]);
  const before = await byParts();
  let isOver = false;
  const work = [
    async () => {
      for (let round = 0; !isOver; round++) {
        await sql(`OPTIMIZE TABLE ${database}.${round % 2 === 0 ? "spans" : "trace_minutes"} FINAL`);
      }
    },
    async () => {
      for (let trace = 1_000; !isOver; trace++) {
        await insert({ trace }, { trace: trace + 1, received: "2026-01-06" });
      }
    },
  ].map((run) => run());
  const wrong: string[] = [];
  try {
    for (let time = 0; time < 500; time++) {
      const trace = 1 + (time % (traces - 1));
      const tenant = trace % 5 === 0 ? "other" : "t";
      const count = countOf(await point([trace], { tenant }));
      if (count !== perTrace) {
        wrong.push(`${trace}: ${count}`);
      }
    }
  } finally {
    isOver = true;
    await Promise.all(work);
  }
  expect(wrong).toEqual([]);
  expect((await byParts()) - before).toBeGreaterThan(250);
});

describe("a damaged part", () => {
  /** @returns the path of the part with each trace's rows */
  async function partsByTrace(): Promise<ReadonlyMap<number, string>> {
    const text = await sql(
      `SELECT DISTINCT hex(trace_id), path FROM ${database}.spans AS s JOIN system.parts AS p ON p.name = s._part ` +
        `WHERE p.database = '${database}' AND p.table = 'spans' FORMAT TSV`,
    );
    const lines = text
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    return new Map(lines.map(([id = "", path = ""]) => [Number.parseInt(id, 16), path]));
  }

  /** Inserts each trace as a separate part that was never read, because read data is in a cache. */
  async function insertParts(first: number, count: number): Promise<void> {
    await sql(`SYSTEM STOP MERGES ${database}.spans`);
    for (let trace = first; trace < first + count; trace++) {
      const spans = Array.from({ length: 30 }, (_, n) => ({
        trace,
        second: n,
        name: `name ${n * n * trace}`,
      }));
      await insert(
        ...spans.map((span, n) => ({ ...span, service: `s${n % 3}`, tenant: n % 5 === 0 ? "o" : "t" })),
      );
    }
  }

  /** @returns traces with wrong rows; an error of the engine, or the existing rows, are right answers */
  async function wrongAnswers(expected: ReadonlyMap<number, readonly string[]>): Promise<string[]> {
    const wrong: string[] = [];
    for (const [trace, rows] of expected) {
      const own = await point([trace]);
      if ("code" in own || JSON.stringify(own.rows) === JSON.stringify(rows)) {
        continue;
      }
      const engine = await point([trace], { by: "engine" });
      if (JSON.stringify(own) === JSON.stringify(engine)) {
        continue;
      }
      const other = "code" in engine ? `the error ${engine.code}` : engine.rows.length;
      wrong.push(`${trace}: ${own.rows.length} rows, and of the engine ${other}`);
    }
    return wrong;
  }

  /** The rows of a part of a table that was filled in the same way. The rows are calculated, not read. */
  function expectedRows(trace: number): string[] {
    const begin = BigInt(Date.UTC(2026, 0, 5, 12)) * 1_000_000n;
    const rows = Array.from({ length: 30 }, (_, n) => {
      const start = Buffer.alloc(8);
      start.writeBigInt64LE(begin + BigInt(n) * 1_000_000_000n);
      const name = Buffer.from(`name ${n * n * trace}`);
      return {
        n,
        bytes: Buffer.concat([
          Buffer.from([2]),
          Buffer.from(`s${n % 3}`),
          Buffer.from(hexOf(trace), "hex"),
          start,
          Buffer.from([name.length]),
          name,
        ]),
      };
    });
    return rows
      .filter(({ n }) => n % 5 !== 0)
      .map(({ bytes }) => bytes.toString("latin1"))
      .sort();
  }

  test("bytes of data.bin that are others", async () => {
    const count = 30;
    await insertParts(1, count);
    await insert({ trace: 9_999 });
    await untilByParts([9_999]);
    const expected = new Map(Array.from({ length: count }, (_, n) => [n + 1, expectedRows(n + 1)]));
    const paths = await partsByTrace();
    for (const trace of expected.keys()) {
      const file = await open(join(paths.get(trace) ?? "", "data.bin"), "r+");
      const { size } = await file.stat();
      // Two bytes, so that all places of the file have their turn.
      for (const at of [Math.trunc((size * (trace - 0.5)) / count), (trace * 37) % size]) {
        const byte = Buffer.alloc(1);
        await file.read(byte, 0, 1, at);
        byte[0] = (byte[0] as number) ^ (1 << (trace % 8));
        await file.write(byte, 0, 1, at);
      }
      await file.close();
    }
    expect(await wrongAnswers(expected)).toEqual([]);
    expect(await sql("SELECT 1")).toBe("1");
    expect(countOf(await point([9_999]))).toBe(1);
  });

  test.each([
    "data.cmrk4",
    "data.bin",
    "primary.cidx",
    "columns.txt",
    "columns_substreams.txt",
    "serialization.json",
  ])("%s of other bytes, cut short, and gone", async (name) => {
    const count = 6;
    await insertParts(1, count);
    await insert({ trace: 9_999 });
    await untilByParts([9_999]);
    const expected = new Map(Array.from({ length: count }, (_, n) => [n + 1, expectedRows(n + 1)]));
    const paths = await partsByTrace();
    for (const trace of expected.keys()) {
      const path = join(paths.get(trace) ?? "", name);
      if (trace % 3 === 0) {
        await rm(path);
        continue;
      }
      const file = await open(path, "r+");
      const { size } = await file.stat();
      const at = Math.trunc((size * trace) / (count + 1));
      if (trace % 3 === 1) {
        await file.truncate(at);
      } else {
        await file.write(Buffer.from([0xff, 0x00, 0xff, 0x7f]), 0, 4, Math.max(0, at - 4));
      }
      await file.close();
    }
    expect(await wrongAnswers(expected)).toEqual([]);
    expect(countOf(await point([9_999]))).toBe(1);
  });

  test("a part that was read, and has lost its files", async () => {
    await insertParts(1, 3);
    await untilByParts([1]);
    const path = (await partsByTrace()).get(1) ?? "";
    for (const file of await readdir(path)) {
      await rm(join(path, file));
    }
    const answer = await point([1]);
    expect("code" in answer || JSON.stringify(answer.rows) === JSON.stringify(expectedRows(1))).toBe(true);
    expect(await sql("SELECT 1")).toBe("1");
    expect(countOf(await point([2]))).toBe(24);
  });
});

/** Runs `work` with a separate process, which `sql` and `point` then use. */
async function withProcess(
  flags: readonly string[],
  work: (process: ChildProcess) => Promise<void>,
): Promise<void> {
  const shared = storage;
  const own = await makeFolder();
  storage = await startStorage(own, ...flags);
  try {
    await sql(`CREATE DATABASE ${database}`);
    await createTables();
    await work(storage.process);
  } finally {
    storage = shared;
    await removeFolder(own);
  }
}

test("a limit for all answers is one for those of parts, too", async () => {
  await withProcess(["--storage.max-result-bytes=20KB"], async () => {
    await insertMany(5_000, 50);
    expect(countOf(await expectSame([1]))).toBe(100);
    const many = Array.from({ length: 30 }, (_, n) => n);
    // The first answers come from the engine, because the thread is only starting.
    for (let time = 0; time < 8; time++) {
      const answer = await expectSame(many);
      expect(answer).toEqual({ code: "396" });
    }
  });
});

test("SIGTERM while traces are asked for: each is answered whole or not at all, and the process ends", async () => {
  await withProcess([], async (process) => {
    await insertMany(5_000, 50);
    let answers = 0;
    const parameters = new URLSearchParams({ param_tenant: "t", wait_end_of_query: "1" });
    // The request uses a new connection.
    const askOnce = async () => {
      const sent = request(`${storage.url}/?${parameters}`, { method: "POST", agent: false });
      sent.end(pointStatement([1]));
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return { status: response.statusCode, bytes: Buffer.concat(await response.toArray()) };
    };
    const asking = Array.from({ length: 8 }, async () => {
      for (;;) {
        // Cut off, or refused.
        const answer = await askOnce().catch(() => undefined);
        if (answer?.status !== 200) {
          return;
        }
        expect(rowsOf(answer.bytes, columns)).toHaveLength(100);
        answers++;
      }
    });
    await expect.poll(() => answers, { timeout: 60_000 }).toBeGreaterThan(100);
    const exited = once(process, "exit");
    process.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    await Promise.all(asking);
  });
});
