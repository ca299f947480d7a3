import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TraceStore } from "../../../api/trace-store.ts";
import { newToken, rowsOf } from "../../../contract/contract-context.ts";
import { newTraceId, sampleSpan } from "../../../contract/sample-spans.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "../test-server.ts";
import { compareDerived } from "./compare-derived.ts";
import { derivedTables } from "./derived-table.ts";

let server: TestServer;
let store: TraceStore;
const database = newDatabaseName();
const dayMs = 86_400_000;
const ended = Date.now() - 3 * dayMs;

beforeAll(async () => {
  server = await startTestServer();
  store = openClickHouseStore({ urls: [server.url], database });
  await store.ready();
});
afterAll(async () => {
  await store.close();
  await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
  await server.stop();
});
beforeEach(async () => {
  for (const table of ["spans", "repeated_spans", ...derivedTables.map(({ name }) => name)]) {
    await ask(`TRUNCATE TABLE {}.${table}`);
  }
});

/** Writes a block of ten calls between two services; one call failed. */
async function write(receivedUnixMs: number, service: string): Promise<void> {
  const spans = Array.from({ length: 10 }, (_, index) => {
    const traceId = newTraceId();
    const parent = sampleSpan({ traceId, service, kind: "client" });
    const called = { traceId, service: `${service}-called`, parentSpanId: parent.spanId };
    return [parent, sampleSpan(index === 0 ? { ...called, status: { code: "error", message: "" } } : called)];
  });
  await store.writer.writeSpans(rowsOf(...spans.flat()), { deduplicationToken: newToken(), receivedUnixMs });
}

const ask = (sql: string) => runSql(server.url, sql.replaceAll("{}", database));
const compare = (repair: boolean, days: "ended" | "all" = "ended") =>
  compareDerived({ urls: [server.url], database }, { days, repair });
const found = async (repair: boolean, days?: "ended" | "all") =>
  (await compare(repair, days)).differences.map(({ table, missing, surplus }) => [table, missing, surplus]);

const sums = [
  "SELECT sum(calls), sum(errors), sum(total_duration) FROM {}.span_metrics",
  "SELECT uniqExact(trace_id, minute) FROM {}.trace_minutes",
  "SELECT groupUniqArray((service, name)) FROM (SELECT * FROM {}.operations ORDER BY ALL)",
  "SELECT sum(calls), sumIf(calls, failed) FROM {}.dependency_calls WHERE pending = 0",
];

describe("compareDerived", () => {
  test("finds nothing where views have done their work", async () => {
    await write(ended, "shop");
    await write(ended, "shop");
    expect(await compare(false)).toEqual({ days: 1, spans: 40, differences: [] });
  });

  test("finds what each table lacks of a block, adds it, and finds nothing more", async () => {
    await write(ended, "shop");
    await write(ended, "lost");
    const before = await Promise.all(sums.map(ask));
    const gone = "WHERE startsWith(service, 'lost')";
    const setting = "SETTINGS mutations_sync = 2";
    await ask(`ALTER TABLE {}.span_metrics DELETE ${gone} ${setting}`);
    await ask(`ALTER TABLE {}.operations DELETE ${gone} ${setting}`);
    await ask(`ALTER TABLE {}.dependency_calls DELETE WHERE parent = 'lost' ${setting}`);
    await ask(
      `ALTER TABLE {}.trace_minutes DELETE WHERE trace_id IN (SELECT trace_id FROM {}.spans ${gone}) ${setting}`,
    );
    const lacking = [
      ["span_metrics", 20, 0],
      ["trace_minutes", 10, 0],
      ["operations", 2, 0],
      ["dependency_calls", 10, 0],
    ];
    expect(await found(false)).toEqual(lacking);
    // Inserting into `span_metrics` also fills `operations`.
    const repaired = await found(true);
    expect(repaired).toEqual(lacking.filter(([table]) => table !== "operations"));
    expect(await found(false)).toEqual([]);
    expect(await Promise.all(sums.map(ask))).toEqual(before);
  });

  test("finds nothing where copies of spans were taken out of the sums", async () => {
    const traceId = newTraceId();
    const parent = sampleSpan({ traceId, service: "again", kind: "client" });
    const called = sampleSpan({ traceId, service: "again-called", parentSpanId: parent.spanId });
    for (const block of [[parent, called], [called], [parent, called]]) {
      await store.writer.writeSpans(rowsOf(...block), {
        deduplicationToken: newToken(),
        receivedUnixMs: Date.now(),
      });
    }
    await expect.poll(() => ask("SELECT sum(calls) FROM {}.span_metrics"), { timeout: 60_000 }).toBe("2");
    expect(await found(false, "all")).toEqual([]);
    await ask("ALTER TABLE {}.span_metrics DELETE WHERE 1 SETTINGS mutations_sync = 2");
    expect(await found(false, "all")).toEqual([["span_metrics", 2, 0]]);
  });

  test("tells what is counted twice, and leaves it", async () => {
    await write(ended, "shop");
    await ask(
      "INSERT INTO {}.span_metrics SELECT * FROM {}.span_metrics SETTINGS insert_deduplication_token = 'again'",
    );
    expect(await found(true)).toEqual([["span_metrics", 0, 20]]);
  });

  test("in the background it compares recent days alone, and skips what it is told to", async () => {
    await write(ended, "shop");
    await write(Date.now() - 9 * dayMs, "old");
    await ask("TRUNCATE TABLE {}.span_metrics");
    const compared: string[] = [];
    const recent = (skips: () => boolean) =>
      compareDerived(
        { urls: [server.url], database },
        {
          ...{ days: "recent", repair: false, isInBackground: true, skips },
          onDay: (day) => compared.push(day),
        },
      );
    expect((await recent(() => false)).differences).toMatchObject([{ table: "span_metrics", missing: 20 }]);
    expect(compared).toEqual([new Date(ended).toISOString().slice(0, 10)]);
    expect(await recent(() => true)).toEqual({ days: 0, spans: 0, differences: [] });
  });

  test("leaves days alone whose blocks may still be sent again, unless it is asked of all", async () => {
    await write(Date.now() - dayMs, "shop");
    await ask("TRUNCATE TABLE {}.span_metrics");
    expect(await compare(true)).toEqual({ days: 0, spans: 0, differences: [] });
    expect(await found(false, "all")).toEqual([["span_metrics", 20, 0]]);
  });

  test("does not miss a call that still waits for its parent", async () => {
    const traceId = newTraceId();
    const parent = sampleSpan({ traceId, service: "late", kind: "client" });
    const child = sampleSpan({ traceId, service: "called", parentSpanId: parent.spanId });
    for (const span of [child, parent]) {
      await store.writer.writeSpans(rowsOf(span), { deduplicationToken: newToken(), receivedUnixMs: ended });
    }
    expect(await found(false)).toEqual([]);
  });

  test("knows every table that a view fills from spans", async () => {
    const filled = await ask(
      "SELECT DISTINCT extract(create_table_query, 'TO \\\\w+\\\\.(\\\\w+)') FROM system.tables WHERE database = '{}' AND engine = 'MaterializedView' ORDER BY 1",
    );
    expect(filled.split("\n")).toEqual(derivedTables.map(({ name }) => name).sort());
  });
});
