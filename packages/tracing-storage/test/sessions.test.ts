import { describe, expect, test } from "vitest";
import { askUntil, shareStorage } from "./running-storage.ts";

const storage = shareStorage("--storage.http.max-sessions=3", "--storage.http.read-only-password=look");

async function ask(sql: string, search: Record<string, string> = {}, method = "POST"): Promise<string> {
  const url = `${storage.url}/?${new URLSearchParams(method === "GET" ? { ...search, query: sql } : search)}`;
  const response = await fetch(url, method === "GET" ? {} : { method, body: sql });
  return (await response.text()).trim().slice(0, 400);
}

const reader = { user: "reader", password: "look" };

describe("a session", () => {
  const session = { session_id: "one" };

  test("keeps settings, database and temporary tables, and no query's own parameters", async () => {
    const state = "SELECT getSetting('max_threads'), getSetting('max_block_size'), currentDatabase()";
    await ask("SET max_threads = 3", session);
    await ask("USE system", session);
    await ask("CREATE TEMPORARY TABLE mine (a UInt8)", session);
    await ask("INSERT INTO mine FORMAT CSV\n7\n", session);
    const own = { ...session, max_threads: "2", max_block_size: "77", database: "default", param_x: "5" };
    expect(await ask(`${state}, {x:UInt8}`, own)).toBe("2\t77\tdefault\t5");
    expect(await ask(state, session)).toMatch(/^3\t\d{5}\tsystem$/);
    expect(await ask("SELECT a FROM mine", session)).toBe("7");
    expect(await ask("SELECT a FROM mine", session, "GET")).toBe("7");
    expect(await ask("SELECT a FROM mine")).toContain("UNKNOWN_TABLE");
    expect(await ask("SELECT a FROM mine", { ...session, ...reader })).toContain("UNKNOWN_TABLE");
  });

  test("puts a query's parameters back when the query fails, and when its result is long", async () => {
    const address = (maxBlockSize: string) =>
      `${storage.url}/?${new URLSearchParams({ ...session, max_block_size: maxBlockSize })}`;
    await ask("SELECT throwIf(1)", { ...session, max_block_size: "77" });
    const long = await fetch(address("77"), {
      method: "POST",
      body: "SELECT number FROM numbers(500000) FORMAT RowBinary",
    });
    expect((await long.arrayBuffer()).byteLength).toBe(4_000_000);
    await askUntil(address("78"), "SELECT getSetting('max_block_size')", "78");
    expect(await ask("SELECT changed FROM system.settings WHERE name = 'max_block_size'", session)).toBe("0");
  });

  test("is for one query at a time", async () => {
    const left = new AbortController();
    const slow = fetch(`${storage.url}/?session_id=busy&query_id=busy`, {
      method: "POST",
      body: "SELECT sleepEachRow(0.1) FROM numbers(1000) SETTINGS max_block_size = 1",
      signal: left.signal,
    });
    await askUntil(
      storage.url,
      "SELECT count() FROM system.processes WHERE Settings['log_comment'] = 'busy'",
      "1",
    );
    expect(await ask("SELECT 1", { session_id: "busy" })).toMatch(/^Code: 373\./);
    left.abort();
    await expect(slow).rejects.toThrow();
  });

  test("there are so many and no more", async () => {
    for (const id of ["two", "three", "four"]) {
      await ask("SELECT 1", { session_id: id });
    }
    expect(await ask("SELECT 1", { session_id: "five" })).toContain("Too many sessions: 3");
    expect(await ask("SELECT 1", session)).toBe("1");
  });
});

describe("the read-only user", () => {
  test.each([
    ["SELECT 1", {}],
    ["SHOW TABLES FROM system LIKE 'one'", {}],
    ["SELECT 1 SETTINGS max_threads = 1", { max_block_size: "10", max_execution_time: "60", readonly: "7" }],
  ] as [string, Record<string, string>][])("may %s", async (sql, search) => {
    expect(await ask(sql, { ...reader, ...search })).toMatch(/^(1|one)$/);
  });

  test.each([
    ["CREATE TABLE t (a UInt8) ENGINE = Memory", {}],
    ["INSERT INTO FUNCTION null('a UInt8') VALUES (1)", {}],
    ["WITH 1 AS x INSERT INTO FUNCTION null('a UInt8') SELECT x", {}],
    ["SET readonly = 0", {}],
    ["KILL QUERY WHERE 1", {}],
    ["SYSTEM STOP MERGES", {}],
    ["SELECT 1 SETTINGS readonly = 0", {}],
    ["SELECT 1 SETTINGS max_memory_usage = 100000000000", {}],
    ["SELECT 1", { max_execution_time: "100000" }],
    ["SELECT 1", { max_execution_time: "0" }],
    ["SELECT 1 SETTINGS max_memory_usage = 0", {}],
    ["SELECT 1 SETTINGS profile = 'default'", {}],
    ["SELECT 1", { profile: "default" }],
  ] as [string, Record<string, string>][])("may not %s %j", async (sql, search) => {
    for (const session of [{}, { session_id: "one" }]) {
      expect(await ask(sql, { ...reader, ...search, ...session })).toMatch(/^Code: (164|452|497)\./);
    }
  });
});
