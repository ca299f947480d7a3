import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { ask, askUntil, shareStorage } from "./running-storage.ts";

const storage = shareStorage("--storage.http.max-body-bytes=400000", "--storage.max-result-bytes=1MB");

beforeEach(async () => {
  await ask(
    storage.url,
    "CREATE OR REPLACE TABLE default.t (a UInt32, b String DEFAULT 'none') ENGINE = MergeTree ORDER BY a",
  );
});

function post(
  search: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  return fetch(`${storage.url}/?${new URLSearchParams(search)}`, { method: "POST", body, headers });
}

/** Like fetch, but sends exactly these headers. */
async function raw(options: { method?: string; path?: string; headers?: Record<string, string> }) {
  return await new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const sent = request(storage.url, options, async (response) => {
        const chunks = await response.toArray();
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString("latin1"),
          headers: response.headers,
        });
      });
      sent.on("error", reject);
      sent.end();
    },
  );
}

describe("queries", () => {
  test.each([
    ["/ping", "Ok.\n"],
    ["/", "Ok.\n"],
    ["/replicas_status", "Ok.\n"],
    ["/?query=SELECT%201", "1\n"],
    ["/?query=SELECT%201&default_format=JSONEachRow", '{"1":1}\n'],
    ["/?query=SELECT%20currentDatabase()&database=system", "system\n"],
    ["/?query=SELECT%20%7Bx%3AUInt8%7D&param_x=7", "7\n"],
  ])("GET %s", async (path, text) => {
    const response = await fetch(storage.url + path);
    expect([response.status, await response.text()]).toEqual([200, text]);
  });

  test("literals hold any bytes, also those that are no text", async () => {
    const literal = Buffer.from([0x27, 0xff, 0xc3, 0xbc, 0xe2, 0x82, 0x27]);
    const select = Buffer.concat([Buffer.from("SELECT hex("), literal, Buffer.from(")")]);
    expect(await (await post({}, select)).text()).toBe("FFC3BCE282\n");
    expect(await (await post({ wait_end_of_query: "1" }, select)).text()).toBe("FFC3BCE282\n");
    const insert = Buffer.concat([Buffer.from("INSERT INTO default.t SELECT 1, "), literal]);
    expect((await post({}, insert)).status).toBe(200);
    expect(await ask(storage.url, "SELECT hex(b) FROM default.t")).toBe("FFC3BCE282");
    // The printed statement of a table creates the same table again.
    const create = Buffer.concat([
      Buffer.from("CREATE OR REPLACE TABLE default.bytes (b String DEFAULT "),
      ...[literal, Buffer.from(") ENGINE = MergeTree ORDER BY b")],
    ]);
    expect((await post({}, create)).status).toBe(200);
    const printed = await (await post({}, "SHOW CREATE TABLE default.bytes FORMAT TSVRaw")).arrayBuffer();
    expect(Buffer.from(printed).includes(literal)).toBe(true);
    await ask(storage.url, "DROP TABLE default.bytes SYNC");
    expect((await post({}, new Uint8Array(printed))).status).toBe(200);
    await ask(storage.url, "DROP TABLE default.bytes SYNC");
  });

  test("headers say what was done", async () => {
    const { headers } = await post({ query_id: "my-query" }, "SELECT 1 FORMAT CSV");
    expect(headers.get("x-clickhouse-query-id")).toBe("my-query");
    expect(headers.get("x-clickhouse-format")).toBe("CSV");
    expect(headers.get("x-clickhouse-timezone")).toBeTruthy();
    expect(headers.get("x-clickhouse-server-display-name")).toBeTruthy();
    expect(JSON.parse(headers.get("x-clickhouse-summary") ?? "")).toMatchObject({ result_rows: "1" });
    expect(headers.get("content-type")).toBe("text/csv; charset=UTF-8; header=absent");
  });

  test("the body continues the query parameter", async () => {
    expect(await (await post({ query: "SELECT" }, "1 + 1")).text()).toBe("2\n");
  });

  test("nothing that one request sets is left for the next", async () => {
    await post({ max_threads: "1", database: "system" }, "SELECT 1");
    await ask(storage.url, "SET max_threads = 1");
    const threads = await ask(
      storage.url,
      "SELECT changed, currentDatabase() FROM system.settings WHERE name = 'max_threads'",
    );
    expect(threads).toBe("0\tdefault");
  });

  test.each(["gzip", "zstd"])("a large answer is compressed as %s", async (encoding) => {
    const sql = "SELECT%20repeat('x',5000)";
    const answer = await raw({ path: `/?query=${sql}`, headers: { "Accept-Encoding": encoding } });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    if (encoding === "zstd") {
      expect(zstdDecompressSync(Buffer.from(answer.text, "latin1")).length).toBe(5001);
    }
    const plain = await raw({
      path: `/?query=${sql}&enable_http_compression=0`,
      headers: { "Accept-Encoding": encoding },
    });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.text).toHaveLength(5001);
  });
});

describe("inserts", () => {
  const rowBinary = Buffer.from([1, 0, 0, 0, 1, 0x27, 2, 0, 0, 0, 1, 0x0a]);
  const rows = '{"a":1,"b":"\'"}\n{"a":2,"b":"\\n"}\n';

  test.each([
    ["query and rows apart", { query: "INSERT INTO t FORMAT JSONEachRow" }, rows],
    ["query and rows in one body", {}, `INSERT INTO t FORMAT JSONEachRow\n${rows}`],
    [
      "settings in the query",
      { query: "INSERT INTO t SETTINGS insert_deduplicate = 0 FORMAT JSONEachRow" },
      rows,
    ],
    [
      "settings behind the format",
      {},
      `INSERT INTO t FORMAT JSONEachRow SETTINGS insert_deduplicate = 0\n${rows}`,
    ],
    ["settings as parameters", { query: "INSERT INTO t FORMAT JSONEachRow", async_insert: "0" }, rows],
    ["columns named", { query: '/* FORMAT x */ insert into `default`."t" (b, a) format JSONEachRow' }, rows],
    ["binary", { query: "INSERT INTO t (a, b) FORMAT RowBinary" }, rowBinary],
    [
      "binary behind the query",
      {},
      Buffer.concat([Buffer.from("INSERT INTO t FORMAT RowBinary\n"), rowBinary]),
    ],
    ["values", {}, "INSERT INTO t VALUES (1, ''''), (1 + 1, '\\n');"],
    ["values apart", { query: "INSERT INTO t (a, b) VALUES" }, "(1, ''''), (1 + 1, '\\n')"],
    ["values in the query parameter", { query: "INSERT INTO t VALUES (1, ''''), (2, '\\n')" }, ""],
    ["rows in both", { query: `INSERT INTO t FORMAT JSONEachRow {"a":1,"b":"'"}` }, '{"a":2,"b":"\\n"}'],
    ["query in both", { query: "INSERT INTO t" }, `FORMAT JSONEachRow\n${rows}`],
    ["select", {}, "INSERT INTO t SELECT 1, char(39) UNION ALL SELECT 2, '\\n'"],
  ] as [string, Record<string, string>, string | Buffer<ArrayBuffer>][])(
    "%s",
    async (_name, search, body) => {
      const response = await post(search, typeof body === "string" ? body : new Uint8Array(body));
      expect(await response.text()).toBe("");
      expect(
        await ask(
          storage.url,
          "SELECT groupArray((a, b)) FROM (SELECT * FROM t ORDER BY a) FORMAT JSONCompactEachRow",
        ),
      ).toBe('[[[1,"\'"],[2,"\\n"]]]');
    },
  );

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ])("a body compressed as %s", async (encoding, compress) => {
    const response = await post(
      { query: "INSERT INTO t FORMAT JSONEachRow" },
      new Uint8Array(compress(Buffer.from(rows))),
      {
        "Content-Encoding": encoding,
      },
    );
    expect(JSON.parse(response.headers.get("x-clickhouse-summary") ?? "")).toMatchObject({
      written_rows: "2",
    });
  });

  test("an empty body is no rows", async () => {
    const response = await post({ query: "INSERT INTO t FORMAT JSONEachRow" }, "");
    expect([response.status, await ask(storage.url, "SELECT count() FROM t")]).toEqual([200, "0"]);
  });

  test("a column left out gets its default", async () => {
    await post({ query: "INSERT INTO t FORMAT JSONEachRow" }, '{"a":5}');
    expect(await ask(storage.url, "SELECT b FROM t")).toBe("none");
  });

  test("a repeated token is not stored twice, nor through a materialized view", async () => {
    const once = "non_replicated_deduplication_window = 100";
    await ask(
      storage.url,
      `CREATE OR REPLACE TABLE d (a UInt32, b String) ENGINE = MergeTree ORDER BY a SETTINGS ${once}`,
    );
    await ask(
      storage.url,
      `CREATE OR REPLACE TABLE sums (n UInt64) ENGINE = SummingMergeTree ORDER BY () SETTINGS ${once}`,
    );
    await ask(storage.url, "CREATE MATERIALIZED VIEW sums_mv TO sums AS SELECT count() AS n FROM d");
    for (const token of ["one", "one", "two"]) {
      const settings = {
        insert_deduplication_token: token,
        deduplicate_blocks_in_dependent_materialized_views: "1",
      };
      const response = await post({ query: "INSERT INTO d FORMAT JSONEachRow", ...settings }, rows);
      expect(response.status).toBe(200);
    }
    expect(await ask(storage.url, "SELECT (SELECT count() FROM d), (SELECT sum(n) FROM sums)")).toBe("4\t4");
  });

  test("rows that cannot be read are refused whole", async () => {
    const response = await post({ query: "INSERT INTO t FORMAT JSONEachRow" }, '{"a":1}\n{"a":"x"}\n');
    const text = await response.text();
    expect([response.status, response.headers.get("x-clickhouse-exception-code")]).toEqual([400, "27"]);
    expect(text).toMatch(/^Code: 27\. DB::Exception: .*\(at row 2\)/s);
    expect(text).not.toContain(storage.folder);
    expect(await ask(storage.url, "SELECT count() FROM t")).toBe("0");
  });
});

describe("errors", () => {
  test.each([
    ["unknown table", "SELECT * FROM nothing", {}, 404, 60],
    ["syntax", "SELEC 1", {}, 400, 62],
    ["no query", "", {}, 400, 62],
    ["two statements", "SELECT 1; DROP TABLE t", {}, 400, 62],
    ["an error of the query", "SELECT throwIf(1)", {}, 500, 395],
    ["unknown setting", "SELECT 1", { no_such_setting: "1" }, 404, 115],
    ["a setting's name with SQL in it", "SELECT 1", { "max_threads=1;DROP": "1" }, 400, 36],
    ["unknown database", "SELECT 1", { database: "no`where" }, 404, 81],
    ["parameter not given", "SELECT {x:UInt8}", {}, 500, 456],
    ["unknown format", "SELECT 1 FORMAT NoSuchFormat", {}, 404, 73],
    ["an unknown session", "SELECT 1", { session_id: "a", session_check: "1" }, 500, 372],
    ["a session's time", "SELECT 1", { session_id: "a", session_timeout: "4000" }, 400, 36],
    ["no blocks although they are announced", "SELECT 1, this is no block", { decompress: "1" }, 400, 271],
    ["a format's name with SQL in it", "SELECT 1", { default_format: "TSV; DROP TABLE t" }, 404, 73],
    ["large result", "SELECT repeat('x', 1000 + number % 2) FROM numbers(10000)", {}, 500, 396],
    ["slow query", "SELECT sleepEachRow(0.1) FROM numbers(20)", { max_execution_time: "0.2" }, 408, 159],
    ["large body", "x".repeat(400_001), {}, 413, 307],
  ] as [string, string, Record<string, string>, number, number][])(
    "%s",
    async (_name, sql, search, status, code) => {
      const response = await post(search, sql);
      expect([response.status, response.headers.get("x-clickhouse-exception-code")]).toEqual([
        status,
        `${code}`,
      ]);
      expect(await response.text()).toMatch(
        /^Code: \d+\. DB::Exception: .*\([A-Z_]+\) \(version [^)]*\)+\n$/s,
      );
    },
  );

  test("a query longer than max_query_size is refused, with the size raised it is not", async () => {
    const sql = `SELECT length('${"x".repeat(270_000)}')`;
    expect((await post({}, sql)).status).toBe(413);
    expect(await (await post({ max_query_size: "300000" }, sql)).text()).toBe("270000\n");
  });

  test("an error names a place in the statement as it was sent, whatever comes with it", async () => {
    for (const sql of [
      "SELECT 1,\n 2 FROM one\n WHERE AND",
      "SELECT 1 FORMAT",
      "SELECT a,\n b",
      "-- no\nSELECT 'a",
    ]) {
      for (const wait of [{}, { wait_end_of_query: "1" }] as const) {
        const alone = await (await post(wait, sql)).text();
        const prepared = await post({ ...wait, param_a: "x'\n;", max_threads: "1", readonly: "2" }, sql);
        expect(await prepared.text()).toBe(alone);
        expect(alone).toContain("Code: ");
      }
    }
  });

  test("what prepares a question that fails, fails it", async () => {
    const response = await post({ param_a: "1", no_such_setting: "1" }, "SELECT {a:String}");
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("115");
  });

  test("a body without Content-Length stops at the limit", async () => {
    let chunks = 0;
    const unmeasured = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(10_000).fill(0x20));
        if (++chunks === 100) {
          controller.close();
        }
      },
    });
    const response = await fetch(`${storage.url}/?query=INSERT+INTO+t+FORMAT+CSV`, {
      method: "POST",
      body: unmeasured,
      duplex: "half",
    });
    expect(response.status).toBe(413);
  });

  test("a small body that grows past the limit is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const response = await post({ query: "INSERT INTO t FORMAT CSV" }, new Uint8Array(bomb), {
      "Content-Encoding": "gzip",
    });
    expect(response.status).toBe(413);
  });

  test.each([
    ["gzip", "not gzip", 400, "271"],
    ["br", "not br", 400, "271"],
    ["lz4", "not lz4", 400, "271"],
    ["snappy", "x", 501, "48"],
    ["__proto__", "x", 501, "48"],
    ["constructor", "x", 501, "48"],
  ])("Content-Encoding %s with %j", async (encoding, body, status, code) => {
    const response = await post({ query: "INSERT INTO t FORMAT CSV" }, body, {
      "Content-Encoding": encoding,
    });
    expect([response.status, response.headers.get("x-clickhouse-exception-code")]).toEqual([status, code]);
  });

  test("an id that is in use is refused", async () => {
    const left = new AbortController();
    const body = "SELECT sleepEachRow(0.1) FROM numbers(1000) SETTINGS max_block_size = 1";
    const first = fetch(`${storage.url}/?query_id=twice`, { method: "POST", body, signal: left.signal });
    await askUntil(storage.url, "SELECT count() FROM system.processes WHERE query LIKE '%(0.1)%'", "2");
    const response = await post({ query_id: "twice" }, "SELECT 1");
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("216");
    left.abort();
    await expect(first).rejects.toThrow();
  });

  test.each(["//", "http://[", "//[::1"])("an address that cannot be read: %s", async (path) => {
    expect((await raw({ path })).status).toBe(400);
  });

  test.each([
    "TRUNCATE TABLE t",
    "SYSTEM START MERGES",
    "KILL QUERY WHERE 0",
    "INSERT INTO t VALUES (1, '')",
  ])("GET only reads: %s", async (query) => {
    for (const search of [{ query }, { query, readonly: "0" }]) {
      const response = await fetch(`${storage.url}/?${new URLSearchParams(search)}`);
      expect(response.headers.get("x-clickhouse-exception-code")).toBe("164");
    }
    expect((await post({}, query)).status).toBe(200);
  });

  test.each([
    "SHOW TABLES",
    "DESCRIBE t",
    "EXISTS t",
    "EXPLAIN SELECT 1",
    "WITH 1 AS x SELECT x",
    "(SELECT 1)",
  ])("GET reads: %s", async (query) => {
    expect((await fetch(`${storage.url}/?${new URLSearchParams({ query })}`)).status).toBe(200);
  });

  test("other paths and methods", async () => {
    expect((await fetch(`${storage.url}/nothing`)).status).toBe(404);
    expect((await fetch(storage.url, { method: "DELETE" })).status).toBe(405);
  });
});

describe("doors that stay shut", () => {
  test.each([
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SELECT file('/etc/hostname')",
    "SELECT `file`('/etc/hostname')",
    "SELECT file\u00a0('/etc/hostname')",
    "SELECT * FROM `/etc/hostname`",
    "SELECT 1 INTO OUTFILE '/tmp/should-not-be-written'",
    "INSERT INTO t FROM INFILE '/etc/hostname' FORMAT LineAsString",
    "INSERT INTO FUNCTION file('/tmp/should-not-be-written') SELECT 1",
    "CREATE TABLE f (a String) ENGINE = File(LineAsString, '/etc/hostname')",
    "CREATE TABLE u (a String) ENGINE = URL('http://127.0.0.1:1/')",
    "CREATE TABLE r (a UInt8) ENGINE = EmbeddedRocksDB(0, '/tmp/should-not-be-written') PRIMARY KEY a",
    "CREATE TABLE m (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = local, path = '/tmp/should-not-be-written/')",
    "CREATE DATABASE f ENGINE = Filesystem('/etc')",
    "CREATE OR REPLACE DATABASE f ENGINE = SQLite('/tmp/should-not-be-written')",
    "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(FILE(path '/etc/hostname' format 'LineAsString')) LAYOUT(FLAT()) LIFETIME(0)",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1:1', system.one)",
    "BACKUP TABLE t TO File('/tmp/should-not-be-written')",
    "SYSTEM SHUTDOWN",
  ])("%s", async (sql) => {
    const response = await post({}, sql);
    expect(["358", "497"]).toContain(response.headers.get("x-clickhouse-exception-code"));
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ["format_template_resultset", "SELECT 1 AS a FORMAT Template"],
    ["format_template_row", "SELECT 1 AS a FORMAT Template"],
    ["format_schema", "SELECT 1 AS a FORMAT Protobuf"],
    ["format_schema_source", "SELECT 1 AS a FORMAT Protobuf"],
    ["output_format_schema", "SELECT 1 AS a FORMAT Protobuf"],
    ["input_format_record_errors_file_path", "INSERT INTO t FORMAT CSV\nx"],
    ["rename_files_after_processing", "INSERT INTO t FORMAT CSV\n1,x"],
    ["format_avro_schema_registry_url", "INSERT INTO t FORMAT AvroConfluent\nx"],
  ])("the setting %s names no file", async (setting, sql) => {
    const secret = join(storage.folder, "secret");
    await writeFile(secret, "do-not-tell\n");
    const [head = "", rows = ""] = sql.split("\n");
    const inSql = await post({}, `${head} SETTINGS ${setting} = '${secret}'\n${rows}`);
    const asParameter = await post({ [setting]: secret }, sql);
    for (const response of [inSql, asParameter]) {
      expect(response.headers.get("x-clickhouse-exception-code")).toBe("452");
      expect(await response.text()).not.toContain("do-not-tell");
    }
  });

  test("a page of another origin gets no answer", async () => {
    const path = "/?query=SELECT%201";
    expect((await raw({ path, headers: { Origin: "http://example.com" } })).status).toBe(403);
    expect((await raw({ path, headers: { Host: "rebound.example.com" } })).status).toBe(403);
    for (const [site, status] of [
      ["cross-site", 403],
      ["same-site", 403],
      ["same-origin", 200],
      ["none", 200],
    ] as const) {
      expect((await raw({ path, headers: { "Sec-Fetch-Site": site } })).status).toBe(status);
    }
    expect(
      (await raw({ path, headers: { Host: "localhost:8123", Origin: "http://localhost:8123" } })).status,
    ).toBe(200);
  });
});
