import fc from "fast-check";
import { parseTraceQl } from "traceql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Span } from "wire/model";
import type { TraceStore } from "../../../api/trace-store.ts";
import { newToken, rowsOf } from "../../../contract/contract-context.ts";
import {
  msNano,
  newServiceName,
  newTraceId,
  noonUnixNano,
  sampleSpan,
} from "../../../contract/sample-spans.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { SchemaGuard } from "../schema/schema-guard.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "../test-server.ts";
import { ClickHouseTraceQlReader } from "./clickhouse-traceql-reader.ts";

const database = newDatabaseName();
let server: TestServer;
let store: TraceStore;
let connection: ClickHouseConnection;

beforeAll(async () => {
  server = await startTestServer();
  store = openClickHouseStore({ urls: [server.url], database });
  await store.ready();
  const limits = { requestTimeoutMs: 60_000, maxConnections: 4, maxReadBytes: 10_000_000 };
  connection = new ClickHouseConnection({ urls: [server.url], user: "default", password: "", ...limits });
});
afterAll(async () => {
  await connection.close();
  await store.close();
  await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
  await server.stop();
});

/** Trees of spans named a, b and c, of one service. */
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

describe("a search for spans below or above others", () => {
  it("finds the same whether one side is rare or not", async () => {
    const service = newServiceName();
    await store.writer.writeSpans(rowsOf(...sampleTraces(service)), { deduplicationToken: newToken() });
    const schema = new SchemaGuard(connection, database);
    const readers = [0, 300].map((rare) => new ClickHouseTraceQlReader(connection, schema, database, rare));
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
        if (!text.includes("nowhere")) expect(usual?.length).toBeGreaterThan(2);
      }
    }
  });
});
