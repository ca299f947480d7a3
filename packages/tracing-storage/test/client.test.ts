import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareStorage } from "./running-storage.ts";

const storage = shareStorage();
let client: ClickHouseClient;

beforeAll(async () => {
  client = createClient({
    url: storage.url,
    compression: { request: true, response: true },
    log: { level: ClickHouseLogLevel.OFF },
  });
  await client.command({ query: "CREATE DATABASE shop" });
  await client.command({
    query:
      "CREATE TABLE shop.orders (id UInt64, item String, tags Array(String)) ENGINE = MergeTree ORDER BY id",
  });
});

afterAll(async () => {
  await client.close();
});

describe("the official client", () => {
  test("pings", async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  test("inserts objects, queries with parameters, settings and a database", async () => {
    const inserted = await client.insert({
      table: "shop.orders",
      values: Array.from({ length: 5000 }, (_, id) => ({ id, item: `item ${id}`, tags: ["a", `'${id}\\`] })),
      format: "JSONEachRow",
    });
    expect(inserted.summary?.written_rows).toBe("5000");

    const scoped = createClient({
      url: storage.url,
      database: "shop",
      clickhouse_settings: { max_threads: 1 },
    });
    const result = await scoped.query({
      query: "SELECT id, item, tags FROM orders WHERE item = {item:String} AND id IN {ids:Array(UInt64)}",
      query_params: { item: "item 77", ids: [1, 77] },
      format: "JSONEachRow",
    });
    expect(await result.json()).toEqual([{ id: 77, item: "item 77", tags: ["a", "'77\\"] }]);
    const threads = await scoped.query({
      query: "SELECT getSetting('max_threads') AS n",
      format: "JSONEachRow",
    });
    expect(await threads.json()).toEqual([{ n: 1 }]);
    await scoped.close();
  });

  test.each(["it's", "tab\tand\nline", 'back\\slash "quote"', "ünï → 🙂", ""])(
    "carries %j as a parameter",
    async (text) => {
      const result = await client.query({
        query: "SELECT {text:String} AS text",
        query_params: { text },
        format: "JSONEachRow",
      });
      expect(await result.json()).toEqual([{ text }]);
    },
  );

  test("inserts a stream and reads a stream", async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `${10_000 + n}\tstreamed\t[]\n`);
    await client.insert({
      table: "shop.orders",
      values: Readable.from(lines, { objectMode: false }),
      format: "TabSeparated",
    });
    const result = await client.query({
      query: "SELECT id FROM shop.orders WHERE item = 'streamed' ORDER BY id",
      format: "JSONEachRow",
    });
    const ids: unknown[] = [];
    for await (const rows of result.stream<{ id: number }>()) {
      ids.push(...rows.map((row) => row.json().id));
    }
    expect(ids).toHaveLength(200);
    expect(ids[199]).toBe(10199);
  });

  test("throws its own error with code and type", async () => {
    const failure = client.query({ query: "SELECT * FROM shop.nothing" });
    await expect(failure).rejects.toThrow(ClickHouseError);
    await expect(failure).rejects.toMatchObject({ code: "60", type: "UNKNOWN_TABLE" });
  });

  test("creates ten tables at once", async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        client.command({ query: `CREATE TABLE shop.t${n} (a UInt8) ENGINE = MergeTree ORDER BY a` }),
      ),
    );
    const result = await client.query({ query: "SHOW TABLES FROM shop LIKE 't%'", format: "JSONEachRow" });
    expect(await result.json()).toHaveLength(10);
  });
});
