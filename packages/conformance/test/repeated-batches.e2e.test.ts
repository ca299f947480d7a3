// A repeated batch counts once in every answer, no matter which protocol repeats it. Each way of sending the same bytes
// has a separate tenant; all answers must equal those for the batch that was sent once.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestedProcess } from "../src/all-processes/tested-process.ts";
import { eventually } from "../src/expect.ts";
import { ask } from "../src/tracing-api/ask.ts";
import { openTracing, type TracingProcesses } from "./security/tracing-processes.ts";

/** The search for copies pauses up to 20 s between two steps. */
const countedWithinMs = 90_000;
const tenancy = ["--multi-tenancy.enabled"];
const json = { "Content-Type": "application/json" };

/** Times of three hours ago, so that a copy may arrive hours after the first batch. */
const minute = Math.floor(Date.now() / 60_000) * 60_000 - 3 * 3_600_000;
const id = (bytes: number) => randomBytes(bytes).toString("hex");
const nano = (ms: number) => `${minute + ms}000000`;
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });

const traceIds = [id(16), id(16), id(16)];

/** Spans of a shop's call of pay, and of pay's call of a database; the first call fails. */
const calls = traceIds.map((traceId, index) => {
  const [client, server, query] = [id(8), id(8), id(8)];
  const times = (from: number, to: number) => ({
    startTimeUnixNano: nano(1_000 * index + from),
    endTimeUnixNano: nano(1_000 * index + to),
  });
  const exception = {
    ...{ name: "exception", timeUnixNano: nano(1_000 * index + 200) },
    attributes: [text("exception.type", "Refused"), text("exception.message", "card 17 is refused")],
  };
  return {
    shop: [
      { traceId, spanId: client, name: "call pay", kind: 3, ...times(0, 500), attributes: [text("a", "x")] },
    ],
    pay: [
      {
        ...{ traceId, spanId: server, parentSpanId: client, name: "POST /pay", kind: 2, ...times(100, 400) },
        attributes: [text("http.request.method", "POST"), text("card", String(index))],
        ...(index === 0 ? { status: { code: 2, message: "refused" }, events: [exception] } : {}),
      },
      {
        ...{
          traceId,
          spanId: query,
          parentSpanId: server,
          name: "SELECT",
          kind: 3,
          ...times(150, 160 + index),
        },
        attributes: [text("db.system.name", "postgresql")],
      },
    ],
  };
});

function otlp(some: typeof calls): string {
  return JSON.stringify({
    resourceSpans: (["shop", "pay"] as const).map((service) => ({
      resource: { attributes: [text("service.name", service)] },
      scopeSpans: [{ scope: { name: "lib" }, spans: some.flatMap((call) => call[service]) }],
    })),
  });
}

/** Both sides of a call share an id, as in Zipkin's libraries. */
const zipkin = JSON.stringify(
  traceIds.flatMap((traceId, index) => {
    const span = {
      traceId,
      id: id(8),
      name: "pay",
      timestamp: (minute + 1_000 * index) * 1_000,
      duration: 300_000,
    };
    return [
      { ...span, kind: "CLIENT", localEndpoint: { serviceName: "shop" }, tags: { "http.method": "POST" } },
      {
        ...{ ...span, kind: "SERVER", shared: true, duration: 200_000 },
        ...{ localEndpoint: { serviceName: "pay" }, tags: index === 0 ? { error: "refused" } : {} },
      },
    ];
  }),
);

let tracing: TracingProcesses;
/** A second collector, which forgets batches immediately. */
let other: TestedProcess;
let otherDoors: { readonly otlp: string; readonly zipkin: string };

beforeAll(async () => {
  tracing = await openTracing({
    storage: tenancy,
    collector: tenancy,
    query: [...tenancy, "--query.mcp.enabled"],
  });
  const [otlpHttp = "", zipkinHttp = "", admin = "", journal = ""] = await freeAddresses(4);
  otherDoors = { otlp: otlpHttp, zipkin: zipkinHttp };
  const any = "127.0.0.1:0";
  other = new TestedProcess(
    "tracing-collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", any, "--collector.otlp.http.host-port", otlpHttp],
      ...["--collector.grpc-server.host-port", any, "--collector.http-server.host-port", any],
      ...["--collector.zipkin.host-port", zipkinHttp, "--clickhouse.url", `http://${tracing.storageHttp}`],
      ...["--collector.journal.dir", join(tracing.folder, `journal-${journal.split(":")[1]}`)],
      ...["--collector.recent-batches", "0", "--admin.http.host-port", admin, ...tenancy],
    ],
    `http://${admin}/`,
  );
  await other.start();
}, 180_000);
afterAll(async () => {
  await other?.end("SIGTERM");
  await tracing?.close();
});

type Door = "first" | "other";

async function post(url: string, tenant: string, body: string): Promise<void> {
  await eventually(async () => {
    const answer = await ask(url, { method: "POST", headers: { ...json, "x-tenant": tenant }, body });
    expect([200, 202], answer.text).toContain(answer.status);
  }, 60_000);
}

const sendOtlp = (door: Door, tenant: string, some = calls) =>
  post(`http://${door === "first" ? tracing.otlpHttp : otherDoors.otlp}/v1/traces`, tenant, otlp(some));
const sendZipkin = (door: Door, tenant: string) =>
  post(`http://${door === "first" ? tracing.zipkin : otherDoors.zipkin}/api/v2/spans`, tenant, zipkin);

async function sql(statement: string): Promise<string> {
  const { status, text } = await ask(`http://${tracing.storageHttp}`, { method: "POST", body: statement });
  expect(status, text).toBe(200);
  return text.trim();
}

const range = { start: String(minute * 1_000), end: String((minute + 120_000) * 1_000) };
const seconds = { start: String(minute / 1_000), end: String(minute / 1_000 + 120) };
const iso = (ms: number) => new Date(ms).toISOString();
const toolTimes = { start_time_min: iso(minute), start_time_max: iso(minute + 120_000) };
const rates = { endTs: String(minute + 120_000), lookback: "3600000" };

/** Every question whose answer contains or counts spans: a path with parameters, or with a body. */
const questions: readonly (readonly [path: string, what: Record<string, string>, body?: unknown])[] = [
  ...traceIds.map((traceId) => [`/api/traces/${traceId}`, {}] as const),
  ["/api/traces", { service: "pay", ...range, limit: "20" }],
  [`/api/v3/traces/${traceIds[0]}`, {}],
  [
    "/api/v3/trace-summaries",
    {
      ...{
        "query.serviceName": "pay",
        "query.startTimeMin": iso(minute),
        "query.startTimeMax": iso(minute + 120_000),
      },
    },
  ],
  [`/tempo/api/v2/traces/${traceIds[0]}`, {}],
  ["/api/services", {}],
  ["/api/operations", { service: "pay" }],
  ["/api/dependencies", { endTs: String(minute + 3_600_000), lookback: "7200000" }],
  ["/api/analysis/v1/dependencies", range],
  ["/api/analysis/v1/dependencies/graph", range],
  ...["calls", "errors"].map(
    (kind) => [`/api/metrics/${kind}`, { service: "pay", ...rates, groupByOperation: "true" }] as const,
  ),
  ["/api/metrics/latencies", { service: "pay", ...rates, quantile: "0.95" }],
  ["/api/metrics/rates", rates],
  ["/api/metrics/rates", { ...rates, service: "pay" }],
  ["/api/analysis/v1/heatmap", { ...range, service: "pay", columns: "12" }],
  ["/api/analysis/v1/heatmap", { ...range, columns: "12", q: "{ }" }],
  ["/api/analysis/v1/groups", { ...range, by: "name" }],
  ["/api/analysis/v1/groups", { ...range, by: "span.card" }],
  ["/api/analysis/v1/exceptions", range],
  ["/api/analysis/v1/operations/top", range],
  ["/api/analysis/v1/attributes", { ...range, service: "pay" }],
  ["/api/analysis/v1/attributes/span/card/values", { ...range, service: "pay" }],
  ["/api/analysis/v1/percentiles", { ...range, service: "pay", operation: "POST /pay", duration: "250ms" }],
  [`/api/analysis/v1/percentiles/${traceIds[0]}`, {}],
  [`/api/analysis/v1/critical-path/${traceIds[0]}`, {}],
  ["/api/analysis/v1/critical-path", { ...range, service: "pay" }],
  ["/api/analysis/v1/diff", { a: traceIds[0] ?? "", b: traceIds[1] ?? "" }],
  ["/api/analysis/v1/names", { contains: "pay" }],
  [
    "/api/analysis/v1/compare",
    {},
    {
      selection: { start: Number(range.start), end: Number(range.end), service: "pay", error: true },
      background: { start: Number(range.start), end: Number(range.end), service: "pay" },
    },
  ],
  [
    "/api/analysis/v1/changes",
    {},
    {
      a: { start: Number(range.start), end: Number(range.start) + 1_000_000 },
      b: { start: Number(range.start) + 1_000_000, end: Number(range.end) },
    },
  ],
  ...[
    "{ }",
    '{ resource.service.name = "pay" } | count() > 2',
    "{ } | count() = 3",
    "{ } >> { kind = server }",
    "{ } | sum(duration) > 1s",
    "{ } | by(resource.service.name) | count() = 2",
    "{ } | select(span.card)",
  ].map((q) => ["/tempo/api/search", { q, ...seconds, limit: "20", spss: "10" }] as const),
  ["/tempo/api/search", { tags: "service.name=pay", ...seconds }],
  ["/tempo/api/v2/search/tags", seconds],
  ["/tempo/api/v2/search/tag/span.card/values", seconds],
  ...[
    "{ } | count_over_time()",
    "{ } | rate() by (resource.service.name)",
    "{ } | sum_over_time(duration)",
    "{ } | avg_over_time(duration)",
    "{ } | min_over_time(duration)",
    "{ } | max_over_time(duration)",
    "{ } | quantile_over_time(duration, .5, .9)",
    "{ } | histogram_over_time(duration)",
    "{ } | compare({ status = error })",
    "{ } | count_over_time() by (name) | topk(2)",
  ].map((q) => ["/tempo/api/metrics/query_range", { q, ...seconds, step: "60s" }] as const),
  ["/tempo/api/metrics/query", { q: "{ } | count_over_time()", ...seconds }],
  ...Object.entries({
    get_services: {},
    get_span_names: { service_name: "pay" },
    get_service_dependencies: { start_time: iso(minute), end_time: iso(minute + 120_000) },
    get_service_metrics: { lookback_minutes: 600 },
    get_exceptions: toolTimes,
    search_traces: { service_name: "pay", ...toolTimes },
    get_trace_topology: { trace_id: traceIds[0] },
    get_trace_errors: { trace_id: traceIds[0] },
    get_critical_path: { trace_id: traceIds[0] },
    get_attribute_values: { scope: "span", name: "card", ...toolTimes },
  }).map(
    ([name, args]) =>
      [
        "/mcp",
        {},
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      ] as const,
  ),
];

/** Derived tables, summed as their queries do. */
const tables = [
  "SELECT service, name, kind, minute, bucket, sum(calls), sum(errors), sum(total_duration) FROM tracing.span_metrics WHERE tenant = 'T' GROUP BY ALL HAVING sum(calls) != 0 ORDER BY ALL",
  "SELECT DISTINCT trace_id, minute FROM tracing.trace_minutes WHERE trace_id IN (SELECT trace_id FROM tracing.spans WHERE tenant = 'T') ORDER BY ALL",
  "SELECT DISTINCT service, name, kind FROM tracing.operations WHERE tenant = 'T' ORDER BY ALL",
];

type Answers = Readonly<Record<string, unknown>>;

/** A text that only names the request. */
const ofRequest = new Set(["tenant", "inspectedBytes", "inspectedTraces", "completedJobs", "totalBlocks"]);

function comparable(answer: string): unknown {
  const [, event] = /^data: (.*)$/m.exec(answer) ?? [];
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted).sort((one, two) => (JSON.stringify(one) < JSON.stringify(two) ? -1 : 1))
      : value !== null && typeof value === "object"
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([key]) => !ofRequest.has(key))
              .sort(([one], [two]) => (one < two ? -1 : 1))
              .map(([key, field]) => [key, sorted(field)]),
          )
        : value;
  return sorted(JSON.parse(event ?? answer));
}

async function answersOf(tenant: string): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  const left = [...questions.entries()];
  const ask4 = Array.from({ length: 4 }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, [path, parameters, body]] = next;
      const at = `http://${tracing.queryHttp}${path}?${new URLSearchParams(parameters)}`;
      const answer = await ask(at, {
        headers: { ...json, Accept: "application/json, text/event-stream", "x-tenant": tenant },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      const name = `${index} ${path} ${JSON.stringify(body ?? parameters)}`;
      expect(answer.status, `${name}: ${answer.text}`).toBe(200);
      answers[name] = comparable(answer.text);
    }
  });
  await Promise.all(ask4);
  for (const table of tables) {
    answers[table] = await sql(table.replaceAll("'T'", `'${tenant}'`));
  }
  return answers;
}

/** Counts of a tenant's spans, from which the search for copies subtracts surplus spans. */
const metricsOf = (tenant: string) => sql((tables[0] ?? "").replaceAll("'T'", `'${tenant}'`));

/** Resolves when a tenant has this many spans, its calls are counted once, and its services have names. */
async function counted(tenant: string, spans: number): Promise<void> {
  await eventually(async () => {
    const rows = await sql(`SELECT count() FROM tracing.spans WHERE tenant = '${tenant}'`);
    expect(Number(rows)).toBe(spans);
    const at = `http://${tracing.queryHttp}/api/dependencies?endTs=${minute + 3_600_000}&lookback=7200000`;
    const { text: links } = await ask(at, { headers: { "x-tenant": tenant } });
    expect(JSON.parse(links).data).toEqual([{ parent: "shop", child: "pay", callCount: 3 }]);
    // Names are filled by a separate view, and the answer may be up to a second old.
    const { text: names } = await ask(`http://${tracing.queryHttp}/api/services`, {
      headers: { "x-tenant": tenant },
    });
    expect(JSON.parse(names).data).toEqual(["pay", "shop"]);
  }, countedWithinMs);
}

/** Changes the rows of a tenant as if they had arrived hours ago. */
async function arrivedHoursAgo(tenant: string): Promise<void> {
  await sql(
    `ALTER TABLE tracing.spans UPDATE arrived = arrived - 10000 WHERE tenant = '${tenant}' SETTINGS mutations_sync = 1`,
  );
}

describe.each([
  [
    "OTLP",
    "otlp",
    9,
    sendOtlp,
    {
      "a retry of the same bytes": {
        stored: 9,
        send: async (tenant: string) => {
          await sendOtlp("first", tenant);
          await sendOtlp("first", tenant);
        },
      },
      "two collectors, three times": {
        stored: 27,
        send: async (tenant: string) => {
          await Promise.all([sendOtlp("first", tenant), sendOtlp("other", tenant)]);
          await sendOtlp("other", tenant);
        },
      },
      "batches that share some spans": {
        stored: 21,
        send: async (tenant: string) => {
          await sendOtlp("first", tenant);
          await sendOtlp("first", tenant, calls.slice(1));
          await sendOtlp("other", tenant, calls.slice(0, 2));
        },
      },
      "a restart of the collector between": {
        stored: 18,
        send: async (tenant: string) => {
          await sendOtlp("first", tenant);
          await counted(tenant, 9);
          await tracing.collector.end("SIGKILL");
          await tracing.collector.start();
          await sendOtlp("first", tenant);
        },
      },
      "hours later": {
        stored: 18,
        send: async (tenant: string) => {
          await sendOtlp("other", tenant);
          await counted(tenant, 9);
          await arrivedHoursAgo(tenant);
          await sendOtlp("other", tenant);
        },
      },
    },
  ],
  [
    "Zipkin",
    "zipkin",
    6,
    sendZipkin,
    {
      "a retry of the same bytes": {
        stored: 6,
        send: async (tenant: string) => {
          await sendZipkin("first", tenant);
          await sendZipkin("first", tenant);
        },
      },
      "two collectors, three times": {
        stored: 18,
        send: async (tenant: string) => {
          await sendZipkin("first", tenant);
          await sendZipkin("other", tenant);
          await sendZipkin("other", tenant);
        },
      },
      "hours later": {
        stored: 12,
        send: async (tenant: string) => {
          await sendZipkin("other", tenant);
          await counted(tenant, 6);
          await arrivedHoursAgo(tenant);
          await sendZipkin("other", tenant);
        },
      },
    },
  ],
] as const)("%s", (_, format, spans, send, ways) => {
  let once: Answers;
  let metricsOfOnce: string;

  beforeAll(async () => {
    await send("first", `${format}-once`);
    await counted(`${format}-once`, spans);
    once = await answersOf(`${format}-once`);
    metricsOfOnce = await metricsOf(`${format}-once`);
  }, 180_000);

  test.each(Object.entries(ways))(
    "%s counts once in every answer",
    { timeout: 240_000 },
    async (name, { stored, send: sendAgain }) => {
      const tenant = `${format}-${name.replaceAll(/[^a-z]/g, "-")}`;
      await sendAgain(tenant);
      await eventually(async () => {
        // The rows of a block may be readable before its views have counted them.
        const copies = await sql(`SELECT sum(copies) FROM tracing.repeated_spans WHERE tenant = '${tenant}'`);
        expect(Number(copies)).toBe(stored - spans);
        expect(await metricsOf(tenant)).toBe(metricsOfOnce);
      }, countedWithinMs);
      await counted(tenant, stored);
      expect(await answersOf(tenant)).toEqual(once);
    },
  );
});
