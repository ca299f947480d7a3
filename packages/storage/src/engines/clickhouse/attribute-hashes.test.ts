import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cityHash64 } from "wire/city-hash";
import { elementHash } from "./attribute-text-sql.ts";
import { concatenated } from "./sql-text.ts";
import { runSql, startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
});

async function expectSameHashes(texts: readonly Uint8Array[]): Promise<void> {
  const hex = texts.map((text) => `'${Buffer.from(text).toString("hex")}'`).join(", ");
  const each = "arrayMap(t -> toString(cityHash64(t)), texts)";
  const sql = `WITH arrayMap(h -> unhex(h), [${hex}]) AS texts SELECT ${each} FORMAT JSONCompactEachRow`;
  const hashes = texts.map((text) => String(cityHash64(text)));
  expect(JSON.parse(await runSql(server.url, sql))).toEqual([hashes]);
}

describe("cityHash64", () => {
  test("gives what ClickHouse's function gives, for each length", async () => {
    await expectSameHashes(
      Array.from({ length: 201 }, (_, length) => Buffer.alloc(length, "Žluťoučký kůň ")),
    );
  });

  test("gives what ClickHouse's function gives, for any bytes", async () => {
    const texts = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 100 });
    await fc.assert(fc.asyncProperty(texts, expectSameHashes), { numRuns: 20 });
  });
});

describe("hashes of attributes", () => {
  test("are those of the texts that stand in a statement", async () => {
    const character = fc.oneof(
      fc.constantFrom("\\", "'", "\0", "\n", "\r", "\t", "`", ";", "{x:String}", "\\xFF", "\ud800"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const text = fc.string({ unit: character, maxLength: 30 });
    const pairs = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pairs, async (attributes) => {
        const columns = attributes.map(
          ([key, value]) => `cityHash64(${concatenated({ text: key }, "\\xFEs", { text: value })})`,
        );
        const answer = await runSql(
          server.url,
          `SELECT arrayMap(h -> toString(h), [${columns.join(", ")}]) AS h FORMAT JSONEachRow`,
        );
        expect(JSON.parse(answer)).toEqual({
          h: attributes.map(([key, value]) => String(elementHash(key, "string", value))),
        });
      }),
      { numRuns: 20 },
    );
  });
});
