import { afterAll, beforeAll, expect, test } from "vitest";
import { separatorPosition } from "./attribute-text-sql.ts";
import { runSql, startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
});

test.each(["\\xFC", "\\xFD", "\\xFE", "\\xFF"])(
  "finds %s wherever it is in a block's only text",
  async (byte) => {
    const text = `concat(repeat('a', at), '${byte}', repeat('b', bytes - at - 1))`;
    const found = [separatorPosition("text", `'${byte}'`), separatorPosition("text", `'${byte}'`, "at + 1")];
    // For some of these texts `position` returns 0 on processors without AVX-512.
    const sql =
      `SELECT bytes, at FROM (SELECT bytes, at, materialize(${text}) AS text FROM ` +
      "(SELECT number + 1 AS bytes, arrayJoin(range(toUInt64(bytes))) AS at FROM numbers(64)) SETTINGS max_block_size = 1) " +
      `WHERE ${found.map((place) => `${place} != at + 1`).join(" OR ")} SETTINGS max_block_size = 1`;
    expect(await runSql(server.url, sql)).toBe("");
  },
);

test("says 0 where there is none", async () => {
  expect(await runSql(server.url, `SELECT ${separatorPosition("materialize('a}~b')", "'\\xFE'")}`)).toBe("0");
});
