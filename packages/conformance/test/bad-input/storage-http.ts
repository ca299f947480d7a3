import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { head, rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

const secret = "nobody may read this";

/** Tests of ClickHouse's HTTP protocol in `tracing-storage`. */
export function storageHttp(backend: () => AllProcesses): void {
  const query = (sql: string, parameters = "", init: RequestInit = {}) =>
    ask(`${backend().storageUrl}/${parameters}`, { method: "POST", body: sql, ...init });
  const encoded = encodeURIComponent;

  staysUnharmed({
    process: () => backend().storage,
    good: async () =>
      expect(await query("SELECT count() > 0 FROM system.tables WHERE database = 'tracing'")).toMatchObject({
        status: 200,
        text: "1\n",
      }),
    maxGrowthMiB: 512,
  });

  test.each<[string, string, string, number, number]>([
    ["SQL that is none", "SELEC 1", "", 400, 62],
    ["nothing", "", "", 400, 62],
    ["two statements", "SELECT 1; DROP TABLE tracing.spans", "", 400, 62],
    ["a parameter of an unknown type", "SELECT {x:Nope}", "?param_x=1", 404, 50],
    ["a parameter that is missing", "SELECT {x:String}", "", 500, 456],
    ["a parameter of another type", "SELECT {x:UInt8}", "?param_x=abc", 500, 457],
    ["a parameter's name with SQL in it", "SELECT 1", "?param_a%3Bb=1", 400, 36],
    ["an unknown setting", "SELECT 1", "?no_such=1", 404, 115],
    ["a setting's name with SQL in it", "SELECT 1", `?${encoded("max_threads = 1, x")}=1`, 400, 36],
    ["a setting's value with SQL in it", "SELECT 1", `?max_threads=${encoded("1', readonly = '0")}`, 400, 27],
    [
      "a database with SQL in it",
      "SELECT 1",
      `?database=${encoded("x`; DROP TABLE tracing.spans; --")}`,
      404,
      81,
    ],
    ["a database that ends in a backslash", "SELECT 1", `?database=${encoded("x\\")}`, 404, 81],
    ["a format with SQL in it", "SELECT 1", `?default_format=${encoded("JSON; DROP")}`, 404, 73],
    ["a query id over two lines", "SELECT 1", "?query_id=a%0Ab", 400, 36],
    ["a query over the limit", `SELECT 1${" ".repeat(300_000)}`, "", 413, 229],
    ["nesting without end", `SELECT ${"(".repeat(50_000)}1${")".repeat(50_000)}`, "", 500, 306],
    [
      "nesting without end, all limits raised",
      `SELECT ${"(".repeat(100_000)}1${")".repeat(100_000)}`,
      "?max_parser_depth=100000000&max_ast_depth=100000000&max_query_size=16777216",
      500,
      306,
    ],
    ["a result without end", "SELECT repeat('x', 1000000000000)", "", 500, 131],
  ])("%s is refused with the engine's code", async (_, sql, parameters, status, code) => {
    const answer = await query(sql, parameters);
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([
      status,
      expect.stringMatching(`^Code: ${code}\\.`),
    ]);
  });

  test.each<[string, RequestInit, number]>([
    ["/..%2f..%2fetc%2fpasswd", { method: "GET" }, 404],
    ["/?query=SELECT+1", { method: "DELETE" }, 405],
    ["/?query=SELECT+1", { method: "POST", body: "x", headers: { "Content-Encoding": "compress" } }, 501],
    ["/?query=SELECT+1", { method: "POST", body: "x", headers: { "Content-Encoding": "br" } }, 400],
    ["/", { method: "POST", body: "x", headers: { "Content-Encoding": "gzip" } }, 400],
  ])("%s (%j) is refused", async (path, init, status) => {
    expect((await ask(backend().storageUrl + path, init)).status).toBe(status);
  });

  test("a body over the limit is refused before it is read, and a bomb while it swells", async () => {
    const insert = `/?query=${encoded("INSERT INTO tracing.spans (name) FORMAT TSV")}`;
    const fields = [`POST ${insert} HTTP/1.1`, "Host: 127.0.0.1", "Content-Length: 268435457"];
    expect((await rawHttp(backend().storageUrl, head(...fields))).status).toBe(413);
    const body = new Uint8Array(zstdCompressSync(Buffer.alloc(300 * 1024 * 1024)));
    const headers = { "Content-Encoding": "zstd" };
    expect((await ask(backend().storageUrl + insert, { method: "POST", headers, body })).status).toBe(413);
  });

  test("a GET may only read", async () => {
    for (const sql of [
      "CREATE TABLE tracing.x (a UInt8) ENGINE = Memory",
      "INSERT INTO tracing.spans (name) VALUES ('x')",
      "DROP TABLE tracing.spans",
      "SET readonly = 0",
    ]) {
      for (const extra of ["", "&readonly=0"]) {
        const { status, text } = await query("", `?query=${encoded(sql)}${extra}`, {
          method: "GET",
          body: null,
        });
        expect([sql, extra, status, text]).toEqual([sql, extra, 500, expect.stringMatching(/^Code: 164\./)]);
      }
    }
  });

  test.each([
    ["another host name", ["Host: evil.example"]],
    ["a page of another origin", ["Host: 127.0.0.1", "Origin: http://evil.example"]],
  ])("%s is kept out", async (_, fields) => {
    const text = head("GET /?query=SELECT+1 HTTP/1.1", ...fields, "Connection: close");
    expect((await rawHttp(backend().storageUrl, text)).status).toBe(403);
  });

  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "storage-door-"));
    writeFileSync(join(folder, "secret"), secret);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("SQL reads no file and writes none", async () => {
    const file = join(folder, "secret");
    const target = join(folder, "written");
    for (const sql of [
      `SELECT * FROM file('${file}', 'RawBLOB')`,
      `SELECT * FROM \`file\`('${file}', 'RawBLOB')`,
      `SELECT * FROM file/**/('${file}', 'RawBLOB')`,
      `SELECT * FROM fileCluster('default', '${file}', 'RawBLOB')`,
      `SELECT file('${file}')`,
      `SELECT * FROM '${file}'`,
      `SELECT * FROM \`${file}\``,
      `SELECT * FROM filesystem('${folder}')`,
      `SELECT * FROM icebergLocal('${folder}')`,
      `DESCRIBE TABLE file('${file}')`,
      `INSERT INTO tracing.spans (name) FROM INFILE '${file}' FORMAT LineAsString`,
      `CREATE DATABASE f ENGINE = Filesystem('${folder}')`,
      `CREATE DATABASE f ENGINE = SQLite('${target}')`,
      "CREATE TABLE tracing.f (a String) ENGINE = File(TSV)",
      "CREATE TABLE tracing.f (a String) ENGINE = File",
      `INSERT INTO FUNCTION file('${target}', 'TSV', 'a String') VALUES ('x')`,
      `INSERT INTO TABLE FUNCTION \`file\`('${target}', 'TSV', 'a String') SELECT 'x'`,
      `SELECT 1 INTO OUTFILE '${target}'`,
      `SELECT 1 INTO/**/OUTFILE '${target}'`,
      `BACKUP TABLE tracing.spans TO File('${target}')`,
      `BACKUP TABLE tracing.spans TO Disk('default', '../../..${target}')`,
      `ATTACH TABLE tracing.f FROM '${folder}' (a UInt8) ENGINE = MergeTree ORDER BY a`,
    ]) {
      const { status, text } = await query(sql);
      expect([sql, status >= 400, text.includes(secret)]).toEqual([sql, true, false]);
    }
    expect(existsSync(target)).toBe(false);
  });

  test("SQL calls no other host, runs no program, and ends nothing", async () => {
    for (const sql of [
      "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
      "SELECT * FROM remote('127.0.0.1:1', system.one)",
      "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
      "CREATE TABLE tracing.u (a String) ENGINE = URL('http://127.0.0.1:1/', 'TSV')",
      "CREATE DATABASE m ENGINE = MySQL('127.0.0.1:1', 'd', 'u', 'p')",
      "CREATE DICTIONARY tracing.d (a UInt64) PRIMARY KEY a SOURCE(EXECUTABLE(COMMAND 'id' FORMAT TSV)) LAYOUT(FLAT()) LIFETIME(0)",
      "SELECT * FROM executable('id', 'TSV', 'a String')",
      "CREATE FUNCTION f AS (x) -> x",
      "CREATE USER evil",
      "GRANT ALL ON *.* TO default WITH GRANT OPTION",
      "GRANT READ, WRITE ON FILE TO default",
      "SYSTEM SHUTDOWN",
      "SYSTEM KILL",
      "SYSTEM START LISTEN TCP",
      "SYSTEM ENABLE FAILPOINT x",
    ]) {
      expect([sql, (await query(sql)).status >= 400]).toEqual([sql, true]);
    }
  });
}
