import { describe, expect, test } from "vitest";
import { ask, askUntil, shareStorage } from "./running-storage.ts";

const storage = shareStorage("--storage.http.read-only-password=look");

/** The queries run one after the other, so that all with the same settings use the same connection. */
async function asks(sql: string, search: Record<string, string> = {}): Promise<string> {
  const url = `${storage.url}/?${new URLSearchParams(search)}`;
  return (await (await fetch(url, { method: "POST", body: sql })).text()).trim().slice(0, 300);
}

const reader = { user: "reader", password: "look" };

/** The settings of a new connection. */
const untouched =
  "SELECT getSetting('max_threads') < 7, getSetting('max_block_size'), currentDatabase(), currentProfiles()";

describe("questions that share a connection", () => {
  test("have their own parameters", async () => {
    for (const x of ["1", "it's \\\\ two", "\u{1F600}"]) {
      expect(await asks("SELECT {x:String}, {y:String}", { param_x: x, param_y: "y" })).toBe(
        `${x.replace("'", "\\'")}\ty`,
      );
    }
    expect(await asks("SELECT {x:String}", { param_y: "y" })).toContain("UNKNOWN_QUERY_PARAMETER");
    expect(await asks("SELECT {x:String}")).toContain("UNKNOWN_QUERY_PARAMETER");
  });

  test("have nothing of what another set for itself", async () => {
    const before = await asks(untouched);
    expect(await asks(untouched, { max_threads: "7", max_block_size: "77", database: "system" })).toMatch(
      /^0\t77\tsystem/,
    );
    expect(await asks(`${untouched} SETTINGS max_threads = 7, max_block_size = 77`)).toMatch(
      /^0\t77\tdefault/,
    );
    expect(await asks(untouched)).toBe(before);
    await asks(`${untouched} SETTINGS max_threads = 7, max_block_size = 77`, { wait_end_of_query: "1" });
    expect(await asks(untouched, { wait_end_of_query: "1" })).toBe(before);
  });

  test("have ids of their own, by which they are ended", async () => {
    const slow = "SELECT sleepEachRow(0.1) FROM numbers(1000) SETTINGS max_block_size = 1";
    const running = (id: string) =>
      `SELECT count() FROM system.processes WHERE Settings['log_comment'] = '${id}' AND query LIKE '%sleepEachRow%'`;
    for (const id of ["first", "second"]) {
      await asks("SELECT 1");
      const asked = asks(slow, { query_id: id });
      await askUntil(storage.url, running(id), "1");
      expect(await ask(storage.url, `KILL QUERY WHERE query_id = '${id}' ASYNC`)).toContain("sleepEachRow");
      expect(await asked).toContain("QUERY_WAS_CANCELLED");
    }
  });

  test("go on after one that failed", async () => {
    for (const sql of [
      "SELECT throwIf(1)",
      "SELECT nothing",
      "SELEC",
      "SELECT throwIf(number = 500000) FROM numbers(1000000)",
    ]) {
      expect(await asks(sql)).toContain("Exception");
      expect(await asks("SELECT 1")).toBe("1");
    }
  });

  test("give a read-only user none of another's rights, and it gives them none of its limits", async () => {
    await asks("SELECT 1");
    for (const sql of ["CREATE TABLE t (a UInt8) ENGINE = Memory", "SET max_threads = 1"]) {
      expect(await asks(sql, reader)).toContain("READONLY");
    }
    const profile = "SELECT getSetting('readonly')";
    expect(await asks(profile, reader)).toBe("2");
    expect(await asks(profile)).toBe("0");
    expect(await asks(profile, { readonly: "1" })).toBe("1");
    expect(await asks(profile, { readonly: "1" })).toBe("1");
    expect(await asks(profile, reader)).toBe("2");
    expect(await asks("SELECT 1", { ...reader, max_memory_usage: "0" })).toContain(
      "SETTING_CONSTRAINT_VIOLATION",
    );
  });

  test("are many at once, each with its own answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, x) => asks("SELECT {x:UInt8} + sleep(0.01)", { param_x: String(x) })),
    );
    expect(answers).toEqual(Array.from({ length: 60 }, (_, x) => String(x)));
  });
});
