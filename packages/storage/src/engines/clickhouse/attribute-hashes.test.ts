import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cityHash64, combinedCityHash64 } from "wire/city-hash";
import { elementHash, eventAttributeHash } from "./attribute-hashes.ts";
import { concatenated } from "./sql-text.ts";
import { runSql, startTestServer, type TestServer } from "./test-server.ts";
import { textLiteral } from "./traceql/sql-literals.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.stop();
});

/** Each text's hash, and with the text after it. */
async function expectSameHashes(texts: readonly Uint8Array[]): Promise<void> {
  const hex = texts.map((text) => `'${Buffer.from(text).toString("hex")}'`).join(", ");
  const each = "arrayMap(t -> toString(cityHash64(t)), texts)";
  const pairs =
    "arrayMap((t, other) -> toString(cityHash64(t, other)), texts, arrayRotateLeft(texts, 1)) AS pairs";
  const sql = `WITH arrayMap(h -> unhex(h), [${hex}]) AS texts SELECT ${each}, ${pairs} FORMAT JSONCompactEachRow`;
  const hashes = texts.map(cityHash64);
  const ofPairs = hashes.map((hash, index) =>
    combinedCityHash64(hash, hashes[(index + 1) % hashes.length] as bigint),
  );
  expect(JSON.parse(await runSql(server.url, sql))).toEqual([hashes.map(String), ofPairs.map(String)]);
}

describe("cityHash64", () => {
  it("gives what ClickHouse's function gives, for each length", async () => {
    await expectSameHashes(
      Array.from({ length: 201 }, (_, length) => Buffer.alloc(length, "Žluťoučký kůň ")),
    );
  });

  it("gives what ClickHouse's function gives, for any bytes", async () => {
    const texts = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 100 });
    await fc.assert(fc.asyncProperty(texts, expectSameHashes), { numRuns: 20 });
  });
});

describe("hashes of attributes", () => {
  it("are those of the texts that stand in a statement", async () => {
    const character = fc.oneof(
      fc.constantFrom("\\", "'", "\0", "\n", "\r", "\t", "`", ";", "{x:String}", "\\xFF", "\ud800"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const text = fc.string({ unit: character, maxLength: 30 });
    const pairs = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(pairs, async (attributes) => {
        const columns = attributes.flatMap(([key, value]) => [
          `cityHash64(${concatenated({ text: key }, "\\xFEs", { text: value })})`,
          `cityHash64(${textLiteral(key)}, ${textLiteral(value)})`,
        ]);
        const answer = await runSql(
          server.url,
          `SELECT arrayMap(h -> toString(h), [${columns.join(", ")}]) AS h FORMAT JSONEachRow`,
        );
        expect(JSON.parse(answer)).toEqual({
          h: attributes.flatMap(([key, value]) => [
            String(elementHash(key, "string", value)),
            String(eventAttributeHash(key, value)),
          ]),
        });
      }),
      { numRuns: 20 },
    );
  });
});
