import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Span } from "wire/model";
import { newToken, rowsOf } from "../../contract/contract-context.ts";
import { fullOtlpSpan, olderModelSpan, sampleSpan } from "../../contract/sample-spans.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseSpanWriter } from "./clickhouse-span-writer.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { SchemaGuard } from "./schema/schema-guard.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "./test-server.ts";

describe("ClickHouseSpanWriter", () => {
  let server: TestServer;
  const database = newDatabaseName();
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
    await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
    await server.stop();
  });

  // Whatever the profile of the user says: a plain text goes into a LowCardinality all the same, and nothing else differs.
  it.each(["0", "1"])("sends blocks that need no conversion of types (allowed: %s)", async (allowed) => {
    const connection = new ClickHouseConnection({
      ...{ urls: [server.url], user: "default", password: "", requestTimeoutMs: 60_000 },
      ...{ maxConnections: 2, maxReadBytes: 1_000_000 },
      insertSettings: { input_format_native_allow_types_conversion: allowed },
    });
    const schema = new SchemaGuard(connection, database);
    const writer = new ClickHouseSpanWriter(connection, schema, `${database}.spans`);
    const store = openClickHouseStore({ urls: [server.url], database });
    const kinds: Record<string, Span[]> = {
      full: [fullOtlpSpan()],
      plain: [sampleSpan()],
      mixed: [fullOtlpSpan(), sampleSpan(), olderModelSpan("proto"), olderModelSpan("jaeger")],
    };
    for (const [kind, spans] of Object.entries(kinds)) {
      await writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
      const traces = await store.reader.getTraces(spans.map(({ traceId }) => traceId));
      expect(
        traces.flatMap((trace) => trace.spans),
        kind,
      ).toEqual(spans);
    }
    await store.close();
    await connection.close();
  });
});
