// Figures of calls of models, with spans as different instrumentations write them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openKeptStores } from "../../service/kept-stores.ts";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";

type Values = Readonly<Record<string, string | number>>;
type SpanFields = Parameters<typeof otlpSpan>[0];

const startUs = (Math.floor(Date.now() / 60_000) - 10) * 60_000_000;
let spans = 0;

function span(second: number, values: Values, fields: SpanFields = {}) {
  spans += 1;
  const spanId = spans.toString(16).padStart(16, "0");
  const attributes = Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? ({ type: "string", value } as const)
        : Number.isInteger(value)
          ? ({ type: "int", value: BigInt(value) } as const)
          : ({ type: "double", value } as const),
  }));
  return otlpSpan({
    ...{ spanId, traceId: "ab".repeat(16), kind: "client" },
    startTimeUnixNano: BigInt(startUs + second * 1_000_000) * 1_000n,
    durationNano: 1_000_000_000n,
    ...{ attributes, ...fields },
  });
}

const agentId = "f".repeat(16);
const failed = { code: "error", message: "" } as const;

/** One call in each convention. */
const sent = [
  // OpenTelemetry, new names, below an agent that repeats the tokens.
  span(
    1,
    {
      ...{
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "guide",
        "gen_ai.request.model": "m1",
      },
      ...{ "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10 },
    },
    { spanId: agentId },
  ),
  span(
    2,
    {
      ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "acme", "gen_ai.request.model": "m1" },
      ...{ "gen_ai.response.model": "m1-2026", "gen_ai.usage.input_tokens": 100 },
      ...{ "gen_ai.usage.output_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 40 },
      ...{ "gen_ai.response.time_to_first_chunk": 0.25, "user.id": "ann", "gen_ai.conversation.id": "c1" },
    },
    { parentSpanId: agentId },
  ),
  span(3, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather" }),
  // The same provider fails: no answer, no tokens.
  span(4, { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m1" }, { status: failed }),
  // OpenTelemetry's older names.
  span(
    130,
    {
      ...{ "gen_ai.system": "acme", "gen_ai.request.model": "m2", "gen_ai.usage.prompt_tokens": 7 },
      ...{ "gen_ai.usage.completion_tokens": 3, "traceloop.association.properties.user_id": "bob" },
    },
    { durationNano: 3_000_000_000n },
  ),
  // OpenInference, with a chain around it.
  span(5, { "openinference.span.kind": "CHAIN", "llm.model_name": "m3", "llm.token_count.prompt": 50 }),
  span(5, {
    ...{ "openinference.span.kind": "LLM", "llm.model_name": "m3", "llm.token_count.prompt": 50 },
    ...{ "llm.token_count.completion": 5, "llm.system": "acme", "user.id": 7, "session.id": "c1" },
  }),
  // Vercel's AI SDK: a call and its wrapper.
  span(6, { "ai.operationId": "ai.streamText", "ai.model.id": "m4", "gen_ai.usage.input_tokens": 20 }),
  span(6, {
    ...{ "ai.operationId": "ai.streamText.doStream", "ai.model.id": "m4", "gen_ai.request.model": "m4" },
    ...{ "gen_ai.usage.input_tokens": 20, "ai.response.msToFirstChunk": 500 },
    ...{ "ai.telemetry.metadata.userId": "ann", "ai.telemetry.functionId": "guide" },
  }),
  // LangSmith.
  span(7, { "langsmith.span.kind": "chain", "gen_ai.request.model": "m5", "gen_ai.usage.input_tokens": 9 }),
  span(7, { "langsmith.span.kind": "llm", "gen_ai.request.model": "m5", "gen_ai.usage.input_tokens": 9 }),
  span(8, { "http.method": "GET" }),
];

let folder: string;
let server: SampleServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gen-ai-"));
  const file = join(folder, "prices.json");
  const models = [
    { model: "m1*", input: 1_000_000, output: 2_000_000, cachedInput: 500_000 },
    { model: "m3", input: 10, output: 10 },
  ];
  await writeFile(file, JSON.stringify({ currency: "EUR", models }));
  server = await openSampleServer(
    await sampleStore(sent),
    openKeptStores(folder, () => {}, file),
  );
});
afterAll(async () => {
  await server.stop(AbortSignal.abort());
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly total: number;
  readonly truncated: boolean;
  readonly sum: Record<string, number>;
  readonly unpricedModels: string[];
  readonly groups: ({ value: string | null } & Record<string, number>)[];
  readonly curve: Record<string, number>[];
  readonly step: number;
}

async function ask(query: string): Promise<Answer> {
  const range = `start=${startUs}&end=${startUs + 300_000_000}`;
  const response = await fetch(`${server.base}/api/analysis/v1/gen-ai?${query}&${range}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return JSON.parse(text);
}

test("by model: a call of each convention counts once, and no wrapper", async () => {
  const { groups, sum, total } = await ask("by=model&order=value");
  expect(groups.map((one) => [one.value, one.calls, one.errors, one.inputTokens, one.outputTokens])).toEqual([
    ["m1", 1, 1, 0, 0],
    ["m1-2026", 1, 0, 100, 10],
    ["m2", 1, 0, 7, 3],
    ["m3", 1, 0, 50, 5],
    ["m4", 1, 0, 20, 0],
    ["m5", 1, 0, 9, 0],
  ]);
  expect([total, sum.calls, sum.errors, sum.inputTokens, sum.outputTokens]).toEqual([6, 6, 1, 186, 18]);
});

test("cost by the price file, with cached tokens; what has no price is said", async () => {
  const { groups, sum, unpricedModels } = await ask("by=model&order=cost");
  expect(groups[0]).toMatchObject({ value: "m1-2026", cost: 60 + 20 + 20, unpricedTokens: 0 });
  expect(groups.find(({ value }) => value === "m2")).toMatchObject({ cost: null, unpricedTokens: 10 });
  expect(sum.cost).toBeCloseTo(100.00055, 9);
  expect(sum.unpricedTokens).toBe(10 + 20 + 9);
  expect(unpricedModels.toSorted()).toEqual(["m2", "m4", "m5"]);
});

test("durations and the time to the first token, in any unit", async () => {
  const { groups } = await ask("by=model&order=value");
  const near = (value: number | undefined, wanted: number) =>
    expect(Math.abs((value ?? 0) / wanted - 1)).toBeLessThan(0.1);
  const [m1, answered, m2, , m4] = groups;
  near(m1?.p50, 1_000_000);
  near(m2?.p95, 3_000_000);
  near(answered?.firstTokenP50, 250_000);
  near(m4?.firstTokenP95, 500_000);
  expect(m2?.firstTokenP50).toBeNull();
});

test.each([
  ["by=requested-model", ["m1", "m2", "m3", "m4", "m5"]],
  ["by=provider", ["acme", null]],
  ["by=agent", ["guide", null]],
  ["by=user", ["7", "ann", "bob", null]],
  ["by=conversation", ["c1", null]],
  ["by=service", ["shop"]],
  ["by=user&contains=AN", ["ann"]],
  ["by=model&user=ann", ["m1-2026", "m4"]],
  ["by=model&user=7", ["m3"]],
  ["by=model&agent=guide", ["m1-2026", "m4"]],
  ["by=model&conversation=c1", ["m1-2026", "m3"]],
  ["by=model&provider=acme&service=shop", ["m1-2026", "m2", "m3"]],
  ['by=model&user=a"b\\', []],
])("%s", async (query, values) => {
  const { groups } = await ask(`${query}&order=value`);
  expect(groups.map(({ value }) => value).toSorted()).toEqual(values.toSorted());
});

test("figures of an agent and of a user hold the tokens of its models", async () => {
  const { groups } = await ask("by=agent&agent=guide");
  expect(groups).toMatchObject([
    { value: "guide", calls: 2, inputTokens: 120, cost: 100, unpricedTokens: 20 },
  ]);
  const page = await ask("by=user&order=input&limit=1&offset=1");
  expect(page).toMatchObject({ total: 4, groups: [{ value: "7", inputTokens: 50 }] });
});

test("the curve has calls, tokens and cost of each step", async () => {
  const { curve, step, sum } = await ask("by=model");
  const totalOf = (field: string) => curve.reduce((total, one) => total + (one[field] ?? 0), 0);
  expect(step).toBe(10_000_000);
  expect(curve.map((one) => one.step)).toEqual(
    curve.map((one) => one.step).toSorted((a, b) => Number(a) - Number(b)),
  );
  for (const field of ["calls", "errors", "inputTokens", "outputTokens", "unpricedTokens"]) {
    expect([field, totalOf(field)]).toEqual([field, sum[field]]);
  }
  expect(totalOf("cost")).toBeCloseTo(sum.cost ?? 0, 9);
  expect(Math.max(...curve.map(({ p95 = 0 }) => p95)) / 3_000_000).toBeCloseTo(1, 0);
});

test("nothing in the time is an empty list, and wrong parameters are refused", async () => {
  expect(await ask("service=none")).toMatchObject({
    total: 0,
    groups: [],
    curve: [],
    sum: { calls: 0, cost: null },
  });
  for (const [query, message] of [
    ["by=colour", "by"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["modell=x", "modell"],
    [`user=${"x".repeat(4_097)}`, "user"],
  ] as const) {
    const response = await fetch(`${server.base}/api/analysis/v1/gen-ai?${query}`);
    expect([response.status, (await response.text()).includes(message)]).toEqual([400, true]);
  }
});
