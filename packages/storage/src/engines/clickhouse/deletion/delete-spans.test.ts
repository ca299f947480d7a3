import { beforeEach, expect, test, vi } from "vitest";
import type { Attribute, Span } from "wire/model";
import { newToken, rowsOfTenant } from "../../../contract/contract-context.ts";
import { newTraceId, sampleSpan } from "../../../contract/sample-spans.ts";
import { shareTestStore } from "../../../testing/shared-test-store.ts";
import { derivedTables } from "../derived/derived-table.ts";
import { deleteSpans } from "./delete-spans.ts";
import type { DeletionSelection } from "./deletion-condition.ts";

vi.setConfig({ testTimeout: 60_000 });
const shared = shareTestStore();
const tables = ["spans", "archived_spans", "repeated_spans", ...derivedTables.map(({ name }) => name)];

beforeEach(async () => {
  for (const table of tables) {
    await shared.sql(`TRUNCATE TABLE ${shared.database}.${table}`);
  }
});

const user = (value: string): Attribute => ({ key: "user.id", value: { type: "string", value } });

async function write(tenant: string, ...spans: readonly Span[]): Promise<void> {
  await shared.store.writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });
}

const archive = (tenant: string, ...spans: readonly Span[]) =>
  shared.store.archive.writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });

const remove = (selection: DeletionSelection, isDryRun = false) =>
  deleteSpans({ urls: [shared.url], database: shared.database }, selection, { isDryRun });

const names = async (table = "spans") =>
  (await shared.sql(`SELECT name FROM ${shared.database}.${table} ORDER BY name`))
    .split("\n")
    .filter((name) => name !== "");
const traceIdsOf = async (table: string) =>
  (await shared.sql(`SELECT DISTINCT lower(hex(trace_id)) FROM ${shared.database}.${table}`)).split("\n");

test("spans of traces go, from the archive and the index of traces too", async () => {
  const [gone, other] = [newTraceId(), newTraceId()];
  await write("", sampleSpan({ traceId: gone, name: "gone" }), sampleSpan({ traceId: other, name: "stays" }));
  await archive(
    "",
    sampleSpan({ traceId: gone, name: "gone" }),
    sampleSpan({ traceId: other, name: "stays" }),
  );
  const report = await remove({ traceIds: [gone.toUpperCase()] });
  expect(report).toMatchObject({ traces: 1, away: [], leavesMinutes: false });
  expect(report.tables.map(({ table, rows, remaining }) => [table, rows, remaining])).toEqual([
    ["spans", 1, 0],
    ["archived_spans", 1, 0],
    ["trace_minutes", 1, 0],
  ]);
  expect([await names(), await names("archived_spans")]).toEqual([["stays"], ["stays"]]);
  expect(await traceIdsOf("trace_minutes")).toEqual([other]);
  const [first] = report.tables;
  expect(await shared.sql(first?.proof ?? "")).toBe("0");
});

test("an attribute is found on spans, resources and events, by its whole value only", async () => {
  const base = sampleSpan();
  const event = { ...{ timeUnixNano: base.startTimeUnixNano, name: "e", droppedAttributesCount: 0 } };
  const resource = { ...base.resource, attributes: [...base.resource.attributes, user("ann")] };
  await write(
    "",
    sampleSpan({ name: "on the span", attributes: [user("ann")] }),
    sampleSpan({ name: "on the resource", resource }),
    sampleSpan({ name: "on an event", events: [{ ...event, attributes: [user("ann")] }] }),
    sampleSpan({ name: "stays: longer", attributes: [user("anna")] }),
    sampleSpan({ name: "stays: other key", attributes: [{ ...user("ann"), key: "other" }] }),
    sampleSpan({ name: "stays: none" }),
  );
  const { traces, tables: found } = await remove({ attribute: { key: "user.id", value: "ann" } });
  expect([traces, found[0]?.rows, found[0]?.remaining]).toEqual([3, 3, 0]);
  expect(await names()).toEqual(["stays: longer", "stays: none", "stays: other key"]);
});

test.each([
  ["42", { type: "int", value: 42n }],
  ["true", { type: "bool", value: true }],
  ["1.5", { type: "double", value: 1.5 }],
  ["it's \\ 100 %", { type: "string", value: "it's \\ 100 %" }],
] as const)("an attribute that is %s is found by its text", async (text, value) => {
  await write("", sampleSpan({ name: "gone", attributes: [{ key: "k'", value }] }));
  await remove({ attribute: { key: "k'", value: text } });
  expect(await names()).toEqual([]);
});

test("a trace whose other spans stay stays in the index of traces", async () => {
  const traceId = newTraceId();
  await write("", sampleSpan({ traceId, name: "gone", attributes: [user("ann")] }));
  await write("", sampleSpan({ traceId, name: "stays" }));
  await remove({ attribute: { key: "user.id", value: "ann" } });
  expect(await names()).toEqual(["stays"]);
  expect(await traceIdsOf("trace_minutes")).toEqual([traceId]);
  expect(await shared.store.reader.getTraces([traceId])).toHaveLength(1);
});

test("conditions hold together: a tenant and a time", async () => {
  const at = (name: string, ms: number) =>
    sampleSpan({ name, startTimeUnixNano: BigInt(Date.UTC(2026, 10, 20) + ms) * 1_000_000n });
  await write("acme", at("before", -1), at("first", 0), at("last", 999), at("after", 1_000));
  await write("beta", at("of beta", 0));
  const from = BigInt(Date.UTC(2026, 10, 20)) * 1_000_000n;
  await remove({ tenant: "acme", fromUnixNano: from, toUnixNano: from + 1_000_000_000n });
  expect(await names()).toEqual(["after", "before", "of beta"]);
  // Rates belong to the tenant's history and contain no trace ids, so they stay.
  expect(await shared.sql(`SELECT sum(calls) FROM ${shared.database}.span_metrics`)).toBe("5");
});

test("a whole tenant goes from every table", async () => {
  for (const tenant of ["acme", "beta"]) {
    const traceId = newTraceId();
    const parent = sampleSpan({ traceId, service: "a", kind: "client" });
    await write(tenant, parent, sampleSpan({ traceId, service: "b", parentSpanId: parent.spanId }));
    await archive(tenant, parent);
  }
  await remove({ tenant: "acme" });
  for (const table of ["spans", "archived_spans", "operations", "span_metrics", "dependency_calls"]) {
    expect(await shared.sql(`SELECT DISTINCT tenant FROM ${shared.database}.${table}`), table).toBe("beta");
  }
  expect(await shared.sql(`SELECT uniqExact(trace_id) FROM ${shared.database}.trace_minutes`)).toBe("1");
});

test("a dry run counts, and deletes nothing", async () => {
  const traceId = newTraceId();
  await write("", sampleSpan({ traceId, name: "stays" }));
  const { tables: found } = await remove({ traceIds: [traceId] }, true);
  expect(found.map(({ table, rows, remaining }) => [table, rows, remaining])).toEqual([
    ["spans", 1, 1],
    ["archived_spans", 0, 0],
    ["trace_minutes", 1, 1],
  ]);
  expect(await names()).toEqual(["stays"]);
});

test.each([1, 101, 1_500])("%i trace ids go at once", async (count) => {
  const ids = Array.from({ length: count }, () => newTraceId());
  await write("", ...ids.map((traceId) => sampleSpan({ traceId })), sampleSpan({ name: "stays" }));
  const { traces } = await remove({ traceIds: ids });
  expect([traces, await names()]).toEqual([count, ["stays"]]);
});

test.each<[string, DeletionSelection, string]>([
  ["no condition", {}, "a deletion without a condition would delete all spans"],
  ["no id", { traceIds: [] }, "takes 1 to 1500 trace ids, not 0"],
  ["1,501 ids", { traceIds: Array.from({ length: 1_501 }, () => "ab".repeat(16)) }, "ids, not 1501"],
  ["SQL", { traceIds: ["x' OR 1"] }, `"x' OR 1" is no trace id`],
  ["no key", { attribute: { key: "", value: "x" } }, "has no name"],
  [
    "a long value",
    { attribute: { key: "k", value: "x".repeat(1_024) } },
    "1025 characters, over the limit of 1024",
  ],
  ["no time", { fromUnixNano: 2n, toUnixNano: 2n }, "ends before it begins"],
])("%s is refused", async (_, selection, message) => {
  await expect(remove(selection)).rejects.toThrow(message);
});
