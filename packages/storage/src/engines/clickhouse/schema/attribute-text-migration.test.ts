import { afterAll, beforeAll, expect, test } from "vitest";
import { spanColumns } from "wire/rows";
import type { TraceStore } from "../../../api/trace-store.ts";
import { rowsOfTenant } from "../../../contract/contract-context.ts";
import { attribute, fullOtlpSpan, sampleSpan, text } from "../../../contract/sample-spans.ts";
import { attributeTexts, attributeTuples } from "../attribute-text-sql.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { eventAttributes, eventNames, eventTimes } from "../event-text-sql.ts";
import { searchSql } from "../search-sql.ts";
import { detailOf } from "../span-details-sql.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "../test-server.ts";
import { attributeTextMigration } from "./attribute-text-migration.ts";
import { eventsType } from "./event-text-migration.ts";
import { migrations } from "./migrations.ts";
import { type DetailColumn, detailColumns } from "./span-details-migration.ts";

let server: TestServer;
const stores: TraceStore[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await server.stop();
});

function open(database: string): TraceStore {
  const store = openClickHouseStore({ urls: [server.url], database });
  stores.push(store);
  return store;
}

const { links, scope } = fullOtlpSpan();
const span = sampleSpan({
  service: "shop",
  attributes: [
    attribute("empty", { type: "empty" }),
    text("text", "it's \\ 'quoted'\0"),
    attribute("bool", { type: "bool", value: true }),
    attribute("int", { type: "int", value: -5n }),
    attribute("double", { type: "double", value: 2.5 }),
    attribute("array", { type: "array", value: [{ type: "string", value: "one" }] }),
    attribute("kvlist", { type: "kvlist", value: [text("a", "b")] }),
    attribute("bytes", { type: "bytes", value: Buffer.from([0, 254, 255]) }),
    text("text", "again"),
  ],
  resource: {
    attributes: [text("host.name", "žluťoučký")],
    droppedAttributesCount: 1,
    schemaUrl: "https://schema",
  },
  ...{
    events: [
      {
        timeUnixNano: -1n,
        name: "exception",
        attributes: [text("exception.type", "io"), text("a", "")],
        droppedAttributesCount: 2,
      },
      { timeUnixNano: 2n ** 62n, name: "", attributes: [], droppedAttributesCount: 0 },
    ],
    links,
    droppedLinksCount: 2,
    warnings: ["it's \\ late"],
    droppedEventsCount: 3,
    droppedAttributesCount: 4,
    scope,
  },
});

const dropped =
  "arrayMap(e -> toUInt32OrZero(splitByChar('\\xFC', e)[3]), arraySlice(splitByChar('\\xFD', event_text), 2))";
const ofEvents = [
  `arrayMap(t -> fromUnixTimestamp64Nano(t, 'UTC'), ${eventTimes})`,
  eventNames,
  eventAttributes,
];
const scopeText = (number: number) => `splitByChar('\\xFF', scope_text)[${number}]`;
/** The attribute columns of version 5, which were no texts, computed from the columns of another database. */
const arrays = new Map([
  ["attribute_text", ["in_attributes", attributeTuples(attributeTexts.span)]],
  ["resource_text", ["in_resource_attributes", attributeTuples(attributeTexts.resource)]],
  ["events", ["events", `CAST(arrayZip(${ofEvents.join(", ")}, ${dropped}) AS ${eventsType})`]],
  ["scope_name", ["in_scope_name", scopeText(1)]],
  ["scope_version", ["in_scope_version", scopeText(2)]],
  ["scope_schema_url", ["scope_schema_url", scopeText(3)]],
  ["resource_schema_url", ["resource_schema_url", scopeText(4)]],
]);
const plain = new Set(["tenant", "service", "name"]);
const columns = spanColumns.map(
  ({ name }) =>
    arrays.get(name) ?? [
      plain.has(name) ? `in_${name}` : name,
      Object.hasOwn(detailColumns, name) ? detailOf(name as DetailColumn) : name,
    ],
);

function fromArrays(database: string, table: string, source: string, token: string): Promise<string> {
  return runSql(
    server.url,
    `INSERT INTO ${database}.${table} (${columns.map(([name]) => name).join(", ")})
SELECT ${columns.map(([, sql]) => sql).join(", ")} FROM ${source}.spans
SETTINGS insert_deduplication_token = '2026-01-01/${token}'`,
  );
}

test.each([5, 6, 11])(
  "gives all of rows of version %i, whenever they came, as they were",
  async (version) => {
    const [fresh, old] = [newDatabaseName(), newDatabaseName()];
    const freshStore = open(fresh);
    await freshStore.writer.writeSpans(rowsOfTenant("", span), { deduplicationToken: "t" });
    await runSql(server.url, `CREATE DATABASE ${old}`);
    for (const migration of migrations.slice(0, version)) {
      for (const statement of migration.statements(old)) {
        await runSql(server.url, statement);
      }
    }
    await runSql(
      server.url,
      `CREATE TABLE ${old}.schema_migrations (version UInt32, name String, applied DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version`,
    );
    await runSql(
      server.url,
      `INSERT INTO ${old}.schema_migrations (version, name) VALUES (${version}, 'before')`,
    );
    await fromArrays(old, "spans", fresh, "before");
    await fromArrays(old, "archived_spans", fresh, "before");
    if (version === 6) {
      // The indexes are still under construction when the next migration starts.
      await runSql(server.url, `SYSTEM STOP MERGES ${old}.spans`);
      await runSql(server.url, attributeTextMigration.statements(old).at(-1) ?? "");
    }

    const store = open(old);
    const { reader, archive, writer } = store;
    const finds = async (key: string, value: string) =>
      (await reader.findTraceIds({ tags: new Map([[key, value]]), limit: 9 })).length;
    const isAsItWas = async (traces = 1) => {
      const trace = [{ traceId: span.traceId, spans: [span] }];
      expect(await reader.getTraces([span.traceId])).toEqual(trace);
      expect(await archive.reader.getTraces([span.traceId])).toEqual(trace);
      expect(await finds("text", "again")).toBe(traces);
      expect(await finds("bytes", "00feff")).toBe(traces);
      expect(await finds("array", '["one"]')).toBe(traces);
      expect(await finds("host.name", "žluťoučký")).toBe(traces);
      expect(await finds("host.name", "again")).toBe(0);
      expect(await finds("exception.type", "io")).toBe(traces);
      expect(await finds("event", "exception")).toBe(traces);
      expect(await finds("otel.scope.name", scope.name)).toBe(traces);
    };
    await isAsItWas();
    if (version === 6) {
      await runSql(server.url, `SYSTEM START MERGES ${old}.spans`);
    }
    const unfinished = `SELECT count() FROM system.mutations WHERE database = '${old}' AND NOT is_done`;
    await expect.poll(() => runSql(server.url, unfinished), { timeout: 60_000 }).toBe("0");
    const tags = new Map([["no", "such"]]);
    const { sql, parameters } = searchSql({ tags, limit: 5 }, old, "");
    const plan = await runSql(server.url, `EXPLAIN indexes = 1 ${sql}`, parameters as Record<string, string>);
    // The indexes of the existing part have been built.
    expect(plan).toContain("attribute_hash_index");
    expect(plan).toContain("event_hash_index");
    expect(plan).toContain("Granules: 0/1");
    const other = { ...span, traceId: "01".repeat(16) };
    await writer.writeSpans(rowsOfTenant("", other), { deduplicationToken: "new" });
    await isAsItWas(2);
    for (const table of ["spans", "archived_spans"]) {
      await runSql(server.url, `OPTIMIZE TABLE ${old}.${table} FINAL`);
    }
    await isAsItWas(2);
    // A collector of an older version still sends arrays, to the upgraded database and to a new one.
    await runSql(server.url, `TRUNCATE TABLE ${old}.spans`);
    await fromArrays(old, "spans", fresh, "after");
    await isAsItWas();
    await fromArrays(fresh, "spans", fresh, "after");
    expect((await freshStore.reader.getTraces([span.traceId]))[0]?.spans).toEqual([span, span]);
  },
);
