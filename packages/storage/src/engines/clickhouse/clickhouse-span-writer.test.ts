import { ClickHouseError } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { StorageError } from "../../api/storage-error.ts";
import { newToken, rowsOf } from "../../contract/contract-context.ts";
import { fullOtlpSpan, olderModelSpan, sampleSpan } from "../../contract/sample-spans.ts";
import { madeIndexes } from "../../testing/test-indexes.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseSpanWriter } from "./clickhouse-span-writer.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { indexesLeftToMerges } from "./schema/attribute-hash-migration.ts";
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

  // The user's profile does not matter: plain text is accepted for a LowCardinality column. Everything else is
  // identical.
  test.each(["0", "1"])("sends blocks that need no conversion of types (allowed: %s)", async (allowed) => {
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

  test("leaves the indexes of attributes to the first merge", async () => {
    const name = newDatabaseName();
    const store = openClickHouseStore({ urls: [server.url], database: name });
    for (let part = 0; part < 2; part++) {
      await store.writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken() });
    }
    const made = () => madeIndexes(server.url, name, "spans");
    const atOnce = ["arrived_index", "duration_index", "start_index", "trace_id_index"];
    expect(await made()).toEqual(atOnce);
    await runSql(server.url, `OPTIMIZE TABLE ${name}.spans FINAL`);
    expect(await made()).toEqual([...atOnce, ...indexesLeftToMerges].sort());
    await store.close();
    await runSql(server.url, `DROP DATABASE ${name} SYNC`);
  });

  test("writes to a server that does not know the setting for it", async () => {
    const asked: boolean[] = [];
    const schema = { run: (work: () => Promise<void>) => work() };
    const connection = {
      async insert(_sql: string, settings: Readonly<Record<string, string>>) {
        const isKnown = settings.exclude_materialize_skip_indexes_on_insert === undefined;
        asked.push(isKnown);
        if (isKnown) {
          return;
        }
        const cause = new ClickHouseError({
          message: "Unknown setting",
          code: "115",
          type: "UNKNOWN_SETTING",
        });
        throw new StorageError("STORAGE_UNAVAILABLE", "Unknown setting", { cause });
      },
    };
    const writer = new ClickHouseSpanWriter(
      connection as unknown as ClickHouseConnection,
      schema as unknown as SchemaGuard,
      "tracing.spans",
    );
    for (let block = 0; block < 2; block++) {
      await writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken() });
    }
    expect(asked).toEqual([false, true, true]);
  });
});
