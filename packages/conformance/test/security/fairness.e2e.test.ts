// Expensive queries of one tenant affect only this tenant: cheap queries of another tenant still run and get memory.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { openTracing, type TracingProcesses } from "./tracing-processes.ts";

const tenancy = ["--multi-tenancy.enabled"];
const places = 2;
const spansInAll = 20_000;
const visibleWithinMs = 30_000;
const startMs = Date.now() - 60_000;
const cheapTraceId = randomBytes(16).toString("hex");
const longTraceId = randomBytes(16).toString("hex");
/** The limit also covers the memory that the engine itself needs. */
const queryMemory = "48MiB";

let tracing: TracingProcesses;

beforeAll(async () => {
  tracing = await openTracing({
    storage: ["--storage.max-query-memory", queryMemory],
    collector: tenancy,
    query: [
      ...tenancy,
      ...["--query.max-concurrent-reads", String(places)],
      ...["--query.max-answer-size", "64KiB", "--query.max-read-size", "2MiB"],
    ],
  });
  for (let sent = 0; sent < spansInAll; sent += 5_000) {
    await send("greedy", "big", 5_000, () => randomBytes(16).toString("hex"));
  }
  await send("greedy", "long", 3, () => longTraceId, "x".repeat(1_000_000));
  await send("modest", "cheap", 1, () => cheapTraceId);
  await eventually(async () => expect((await ask("modest", cheapTrace)).status).toBe(200), visibleWithinMs);
  await eventually(
    async () => expect((await ask("greedy", oneTrace)).text).toContain("big"),
    visibleWithinMs,
  );
});
afterAll(() => tracing?.close());

async function send(
  tenant: string,
  service: string,
  count: number,
  traceId: () => string,
  longName = "",
): Promise<void> {
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: traceId(),
    spanId: randomBytes(8).toString("hex"),
    name: `${service} ${index}${longName}`,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 5}000000`,
    attributes: [{ key: "key", value: { stringValue: randomBytes(100).toString("hex") } }],
  }));
  const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] };
  const answer = await fetch(`http://${tracing.otlpHttp}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-tenant": tenant },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

async function ask(tenant: string, path: string, signal: AbortSignal | null = null) {
  const answer = await fetch(`http://${tracing.queryHttp}${path}`, {
    headers: { "x-tenant": tenant },
    signal,
  });
  return { status: answer.status, text: await answer.text() };
}

const range = `start=${Math.floor(startMs / 1_000) - 600}&end=${Math.floor(startMs / 1_000) + 120}`;
const traceQl = (q: string, more = "") => `/tempo/api/search?${range}${more}&q=${encodeURIComponent(q)}`;
const oneTrace = traceQl('{ resource.service.name = "big" }', "&limit=1");
const cheapTrace = `/api/traces/${cheapTraceId}`;
const cheapQueries = [
  traceQl('{ name = "cheap 0" }'),
  `/api/traces?service=cheap&limit=5&start=${(startMs - 60_000) * 1_000}&end=${(startMs + 60_000) * 1_000}`,
  cheapTrace,
  "/api/services",
];
/** Every condition reads every key, which takes about thirty times as long as the first cheap query. */
const slowQuery = traceQl(
  Array.from({ length: 60 }, (_, index) => `{ span.key =~ ".*a${index}.*b${index}.*c.*d.*zz.*" }`).join(
    " || ",
  ),
);

test("cheap queries of another tenant are answered while slow ones hold their places", async () => {
  const leaving = new AbortController();
  let ended = 0;
  const slow = Array.from({ length: places + 1 }, () =>
    ask("greedy", slowQuery, leaving.signal)
      .catch(() => undefined)
      .finally(() => ended++),
  );
  // The requests have arrived when a later one is answered.
  expect((await ask("greedy", "/api/services")).status).toBe(200);
  const [first = "", ...others] = cheapQueries;
  const answered = { status: 200, text: expect.stringContaining("cheap") };
  expect(await ask("modest", first)).toMatchObject(answered);
  expect(ended).toBe(0);
  for (const path of others) {
    expect(await ask("modest", path), path).toMatchObject(answered);
  }
  leaving.abort();
  await Promise.all(slow);
});

test("a few spans with long names are refused by the limit of a read on every door", async () => {
  const times = `start=${(startMs - 60_000) * 1_000}&end=${(startMs + 60_000) * 1_000}`;
  const rfc = (ms: number) => new Date(ms).toISOString();
  const doors = [
    `/api/traces/${longTraceId}`,
    `/api/traces/${longTraceId}?raw=true`,
    `/api/traces?traceID=${longTraceId}`,
    `/api/traces?service=long&limit=5&${times}`,
    `/api/v3/traces/${longTraceId}`,
    `/api/v3/traces?query.serviceName=long&query.startTimeMin=${rfc(startMs - 60_000)}&query.startTimeMax=${rfc(startMs + 60_000)}`,
    `/tempo/api/traces/${longTraceId}`,
    `/tempo/api/v2/traces/${longTraceId}`,
    `/api/analysis/v1/critical-path/${longTraceId}`,
  ];
  for (const path of doors) {
    const refused = {
      status: 413,
      text: expect.stringContaining("over the limit of 2097152 bytes of --query.max-read-size"),
    };
    await eventually(async () => expect(await ask("greedy", path), path).toMatchObject(refused), 30_000);
    expect((await ask("modest", cheapTrace)).status).toBe(200);
  }
});

test("what is refused for its size or its memory names the limit, and costs nobody else", async () => {
  const greedy = [
    traceQl("{ } | select(span.key)", "&limit=5000"),
    `/tempo/api/metrics/query_range?${range}&step=1s&q=${encodeURIComponent("{ } | count_over_time() by (span.key, name)")}`,
  ];
  for (const path of greedy) {
    const refused = ask("greedy", path);
    const { status } = await ask("modest", cheapQueries[0] as string);
    expect(status).toBe(200);
    expect(await refused).toMatchObject({
      status: expect.not.toBeOneOf([200, 500]),
      text: expect.stringMatching(/--query\.max-(answer|read)-size|--storage\.max-query-memory/),
    });
  }
});
