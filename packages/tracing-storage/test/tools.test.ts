import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { compressLz4Block } from "../src/compression/lz4-block.ts";
import { shareStorage } from "./running-storage.ts";

const storage = shareStorage("--storage.http.password=secret", "--storage.http.read-only-password=look");

beforeAll(async () => {
  for (const sql of [
    "CREATE TABLE t (id UInt64, text String) ENGINE = MergeTree ORDER BY id",
    "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
  ]) {
    await post(sql, { user: "default", password: "secret" });
  }
});

async function post(
  sql: string | Uint8Array<ArrayBuffer>,
  search: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const url = `${storage.url}/?${new URLSearchParams(search)}`;
  const response = await fetch(url, { method: "POST", body: sql, headers });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });

// The first requests of these tools, from their sources, as the user that may only read.
describe.each([
  [
    "Grafana's ClickHouse data source (clickhouse-go over HTTP)",
    { default_format: "Native", client_protocol_version: "54460", max_execution_time: "60" },
    [
      "SELECT displayName(), version(), revision(), timezone()",
      "SELECT name FROM system.databases",
      "SELECT name, type FROM system.columns WHERE database = 'default' AND table = 't'",
      "SELECT count() FROM `default`.`t`",
    ],
  ],
  [
    "Metabase (JDBC)",
    {
      default_format: "RowBinaryWithNamesAndTypes",
      session_id: "jdbc",
      extremes: "0",
      wait_end_of_query: "0",
      compress: "0",
    },
    [
      "SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1",
      "SELECT name FROM system.tables WHERE database = 'default'",
      "SELECT * FROM `default`.`t` LIMIT 5",
      "SELECT name, value FROM system.settings WHERE name = 'max_execution_time'",
    ],
  ],
  [
    "a notebook",
    { default_format: "JSONCompactEachRowWithNamesAndTypes" },
    [
      "SHOW DATABASES",
      "SHOW TABLES FROM default",
      "DESCRIBE TABLE default.t",
      "SHOW CREATE TABLE default.t",
      "EXPLAIN SELECT * FROM t",
    ],
  ],
] as [string, Record<string, string>, string[]][])("%s", (_name, search, statements) => {
  test.each(statements)("%s", async (sql) => {
    const { status, headers, body } = await post(sql, search, basic("reader:look"));
    expect(body.length).toBeGreaterThan(0);
    expect([status, headers.get("x-clickhouse-format")]).toEqual([200, search.default_format]);
    expect(JSON.parse(headers.get("x-clickhouse-summary") ?? "")).toHaveProperty("result_rows");
  });
});

test("an insert as LZ4 frame, as clickhouse-connect sends it", async () => {
  const rows = Buffer.from('{"id":3,"text":"three"}\n'.repeat(3));
  const block = compressLz4Block(rows);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(block.length);
  const frame = Buffer.concat([Buffer.from("04224d18604082", "hex"), size, block, Buffer.alloc(4)]);
  const search = { query: "INSERT INTO t FORMAT JSONEachRow", user: "default", password: "secret" };
  expect((await post(new Uint8Array(frame), search, { "Content-Encoding": "lz4" })).status).toBe(200);
  expect((await post("SELECT count() FROM t WHERE id = 3", {}, basic("reader:look"))).body.toString()).toBe(
    "3\n",
  );
});

/** A Python with the client, where continuous integration installs it; otherwise any Python. */
const python = process.env.TEST_PYTHON ?? "python3";

function hasClickHouseConnect(): boolean {
  try {
    execFileSync(python, ["-c", "import clickhouse_connect"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasClickHouseConnect())(
  "Python's clickhouse-connect (skipped where it is not installed)",
  () => {
    test("inserts, asks, streams and uses its session", () => {
      const { hostname, port } = new URL(storage.url);
      const script = `
import clickhouse_connect
c = clickhouse_connect.get_client(host='${hostname}', port=${port}, username='default', password='secret')
c.command('CREATE TABLE py (id UInt64, text String, at DateTime64(3)) ENGINE = MergeTree ORDER BY id')
import datetime
at = datetime.datetime(2026, 11, 21, 8, 30)
c.insert('py', [[n, 'text %d' % n, at] for n in range(50000)], column_names=['id', 'text', 'at'])
assert c.query('SELECT count(), max(id) FROM py').result_rows == [(50000, 49999)]
assert c.query('SELECT text FROM py WHERE id = {id:UInt64}', parameters={'id': 7}).result_rows == [('text 7',)]
c.command('CREATE TEMPORARY TABLE mine (a UInt8)')
assert c.query('SELECT count() FROM mine').result_rows == [(0,)]
with c.query_row_block_stream('SELECT id, text FROM py') as stream:
    assert sum(len(block) for block in stream) == 50000
try:
    c.query('SELECT * FROM nowhere')
    assert False
except clickhouse_connect.driver.exceptions.DatabaseError as e:
    assert 'UNKNOWN_TABLE' in str(e)
r = clickhouse_connect.get_client(host='${hostname}', port=${port}, username='reader', password='look')
assert r.query('SELECT count() FROM py').result_rows == [(50000,)]
print('done')
`;
      expect(execFileSync(python, ["-c", script], { encoding: "utf8" }).trim()).toBe("done");
    });
  },
);
