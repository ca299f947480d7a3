import fc from "fast-check";
import { parseTraceQl } from "traceql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { newToken, rowsOf } from "../../../contract/contract-context.ts";
import {
  attribute,
  msNano,
  newServiceName,
  newTraceId,
  noonUnixNano,
  sampleSpan,
  text,
} from "../../../contract/sample-spans.ts";
import { shareTestStore } from "../../../testing/shared-test-store.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { SchemaGuard } from "../schema/schema-guard.ts";
import { newDatabaseName } from "../test-server.ts";
import { ClickHouseTraceQlReader } from "./clickhouse-traceql-reader.ts";
import { pipelineSql } from "./spanset-sql.ts";
import { candidatesSql, spansOf } from "./traceql-sql.ts";

const shared = shareTestStore();
const { database } = shared;
let connection: ClickHouseConnection;

beforeAll(async () => {
  const limits = { requestTimeoutMs: 60_000, maxConnections: 4, maxReadBytes: 10_000_000 };
  connection = new ClickHouseConnection({ urls: [shared.url], user: "default", password: "", ...limits });
});
afterAll(() => connection.close());

/** Trees of spans with the names a, b and c, all of one service. */
function sampleTraces(service: string): Span[] {
  const tree = fc.array(
    fc.record({ parent: fc.nat(12), name: fc.constantFrom("a", "b", "c"), minute: fc.nat(59) }),
    { minLength: 1, maxLength: 12 },
  );
  const id = (index: number) => (index + 1).toString(16).padStart(16, "0");
  return fc.sample(tree, { numRuns: 60, seed: 7 }).flatMap((spans) => {
    const traceId = newTraceId();
    return spans.map(({ parent, name, minute }, index) =>
      sampleSpan({
        ...{ traceId, service, name, spanId: id(index), parentSpanId: parent === index ? "" : id(parent) },
        startTimeUnixNano: noonUnixNano - BigInt(minute) * 60_000n * msNano,
      }),
    );
  });
}

describe("a search", () => {
  test("finds traces in a merged part that also has spans of centuries away", async () => {
    const service = newServiceName();
    const turnNano = 2n ** 32n * 1_000_000_000n;
    const traces = [0n, turnNano, -turnNano].map((away) =>
      sampleSpan({ service, startTimeUnixNano: noonUnixNano + away }),
    );
    for (const span of traces) {
      await shared.store.writer.writeSpans(rowsOf(span), { deduplicationToken: newToken() });
    }
    const query = parseTraceQl(`{ resource.service.name = "${service}" }`);
    const range = { startUnixNano: noonUnixNano, endUnixNano: noonUnixNano };
    for (const when of ["as written", "merged"]) {
      if (when === "merged") {
        await shared.sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
      }
      const found = await shared.store.traceql.search({ query, range, limit: 10, spansPerSpanset: 3 });
      expect([when, found.traces.map(({ traceId }) => traceId)]).toEqual([when, [traces[0]?.traceId]]);
    }
  });
});

describe("a search for spans below or above others", () => {
  test("finds the same whether one side is rare or not", async () => {
    const service = newServiceName();
    await shared.store.writer.writeSpans(rowsOf(...sampleTraces(service)), {
      deduplicationToken: newToken(),
    });
    const schema = new SchemaGuard(connection, database);
    const readers = [0, 300].map(
      (rare) =>
        new ClickHouseTraceQlReader(connection, schema, {
          database,
          repeated: { areIn: async () => false },
          mostRareTraces: rare,
        }),
    );
    const range = { startUnixNano: noonUnixNano - 3_540_000n * msNano, endUnixNano: noonUnixNano };
    const of = (name: string) => `{ resource.service.name = "${service}" && name = "${name}" }`;
    const queries = [
      ...[`${of("a")} >> ${of("b")}`, `${of("a")} << ${of("b")}`, `${of("b")} >> ${of("b")}`],
      ...[`${of("c")} >> ${of("a")} | count() > 1`, `${of("a")} >> { name = "nowhere" }`],
    ];
    for (const text of queries) {
      const query = parseTraceQl(text);
      for (const limit of [3, 100]) {
        const request = { query, range, limit, spansPerSpanset: 20 };
        const [usual, rare] = await Promise.all(
          readers.map(async (reader) => (await reader.search(request)).traces),
        );
        expect(rare).toEqual(usual);
        if (!text.includes("nowhere")) {
          expect(usual?.length).toBeGreaterThan(2);
        }
      }
    }
  });
});

describe("an equation of an attribute", () => {
  const own = newDatabaseName();
  const tenant = "";
  const spans = 4 * 2_048;
  const range = { startUnixNano: noonUnixNano - 60_000n * msNano, endUnixNano: noonUnixNano };
  const planOf = (condition: string) => {
    const query = parseTraceQl(`{ ${condition} }`);
    if (query.type !== "search") {
      throw new Error("a search");
    }
    const source = { database: own, tenant, range };
    const { sql, parameters } = candidatesSql(
      source,
      pipelineSql(query.pipeline, spansOf(source)),
      range,
      20,
    );
    const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
    return shared.sql(`EXPLAIN indexes = 1 ${sql}`, Object.fromEntries(texts));
  };
  /** Number of granules of 2,048 rows that a condition reads. */
  const readOf = async (condition: string) => {
    const plan = await planOf(condition);
    return Number([...plan.matchAll(/Granules: (\d+)\//g)].at(-1)?.[1]);
  };

  beforeAll(async () => {
    const array = (value: string) => attribute("list", { type: "array", value: [{ type: "string", value }] });
    const all = Array.from({ length: spans }, (_, index) =>
      sampleSpan({
        // Names that sort in the order of the table.
        service: `service-${String(index).padStart(5, "0")}`,
        attributes: [
          text("half", index < 3_000 ? "first" : "second"),
          attribute("number", { type: "int", value: BigInt(index) }),
          ...(index === spans - 1 ? [array("rare")] : []),
        ],
        resource: { attributes: [text("host", `host-${index >> 11}`)] },
      }),
    );
    const ownStore = openClickHouseStore({ urls: [shared.url], database: own });
    await ownStore.writer.writeSpans(rowsOf(...all), { deduplicationToken: newToken() });
    await ownStore.close();
    // The first merge builds the indexes.
    await shared.sql(`OPTIMIZE TABLE ${own}.spans FINAL`);
  });
  afterAll(() => shared.sql(`DROP DATABASE IF EXISTS ${own} SYNC`));

  test("is asked of the indexes that a search for tags has", async () => {
    const plan = await planOf('.half = "first"');
    for (const place of ["attribute", "resource"]) {
      expect(plan).toContain(`Name: ${place}_hash_index`);
      expect(plan).toContain(`Name: ${place}_array_index`);
    }
  });

  test.each([
    ["true", 4],
    ['span.half = "first"', 2],
    ['"first" = span.half', 2],
    ['span.half = "none"', 0],
    ['.half = "none"', 0],
    ["span.number = 5000", 1],
    ["span.number = 5000.0", 1],
    ["span.number = -1", 0],
    ['resource.host = "host-2"', 1],
    ['.host = "host-2"', 1],
    ['span.half = "none" || resource.host = "host-1"', 1],
    // An array may contain the value, so spans with an array of that name are read.
    ['span.list = "rare"', 1],
    ['span.list = "none"', 1],
  ])("%s reads %i of 4 granules", async (condition, granules) => {
    expect(await readOf(condition)).toBe(granules);
  });
});
