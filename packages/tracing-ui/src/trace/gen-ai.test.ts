import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { type GenAiCall, genAiCalls } from "./gen-ai.ts";
import { costOf, totalsOf } from "./gen-ai-cost.ts";
import { splitHistory } from "./gen-ai-history.ts";
import type { ApiSpan } from "./trace-schema.ts";

type Value = string | number;
const attributes = (fields: Record<string, Value>) =>
  Object.entries(fields).map(([key, value]) => ({
    key,
    type: typeof value === "string" ? "string" : "float64",
    value,
  }));

const span = (
  spanID: string,
  tags: Record<string, Value>,
  more: { parent?: string; logs?: ApiSpan["logs"] } = {},
): ApiSpan => ({
  ...{
    traceID: "t",
    spanID,
    operationName: `op ${spanID}`,
    startTime: 1_000,
    duration: 5_000,
    processID: "p",
  },
  references: more.parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: more.parent }],
  tags: attributes(tags),
  logs: more.logs ?? [],
});
const event = (name: string, fields: Record<string, Value>, timestamp = 1_500) => ({
  timestamp,
  fields: attributes({ event: name, ...fields }),
});
const callsOf = (...spans: ApiSpan[]) =>
  genAiCalls(buildTrace({ traceID: "t", processes: { p: { serviceName: "bot", tags: [] } }, spans }));
const messagesOf = (one: ApiSpan) => callsOf(one)[0]?.messages;

const asked = { role: "user", parts: [{ kind: "text", text: "Weather?" }], finish: "" };
const called = {
  role: "assistant",
  parts: [{ kind: "call", name: "weather", id: "c1", text: '{"city":"Oslo"}' }],
  finish: "tool_calls",
};

test.each<[string, ApiSpan]>([
  [
    "OpenTelemetry's JSON attributes",
    span("a", {
      "gen_ai.input.messages": JSON.stringify([
        { role: "user", parts: [{ type: "text", content: "Weather?" }] },
      ]),
      "gen_ai.output.messages": JSON.stringify([
        {
          role: "assistant",
          parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: { city: "Oslo" } }],
          finish_reason: "tool_calls",
        },
      ]),
    }),
  ],
  [
    "the same on an event",
    span(
      "a",
      { "gen_ai.operation.name": "chat" },
      {
        logs: [
          event("gen_ai.client.inference.operation.details", {
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Weather?"}]}]',
            "gen_ai.output.messages":
              '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}],"finish_reason":"tool_calls"}]',
          }),
        ],
      },
    ),
  ],
  [
    "older events",
    span(
      "a",
      { "gen_ai.system": "openai" },
      {
        logs: [
          event("gen_ai.user.message", { content: "Weather?" }),
          event("gen_ai.choice", {
            index: 0,
            finish_reason: "tool_calls",
            message:
              '{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]}',
          }),
        ],
      },
    ),
  ],
  [
    "OpenLLMetry's numbers",
    span("a", {
      "gen_ai.completion.0.tool_calls.0.arguments": '{"city":"Oslo"}',
      "gen_ai.completion.0.tool_calls.0.id": "c1",
      "gen_ai.completion.0.tool_calls.0.name": "weather",
      "gen_ai.completion.0.role": "assistant",
      "gen_ai.completion.0.finish_reason": "tool_calls",
      "gen_ai.prompt.0.role": "user",
      "gen_ai.prompt.0.content": "Weather?",
    }),
  ],
])("messages by %s", (_, sent) => {
  expect(messagesOf(sent)).toEqual({ input: [asked], output: [called] });
});

test("messages by OpenInference, in the order of their numbers, with results of tools", () => {
  const messages = messagesOf(
    span("a", {
      "openinference.span.kind": "LLM",
      "llm.input_messages.10.message.role": "tool",
      "llm.input_messages.10.message.content": "-3 °C",
      "llm.input_messages.10.message.tool_call_id": "c1",
      "llm.input_messages.2.message.role": "user",
      "llm.input_messages.2.message.contents.0.message_content.type": "text",
      "llm.input_messages.2.message.contents.0.message_content.text": "Weather?",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}",
    }),
  );
  expect(messages).toEqual({
    input: [asked, { role: "tool", parts: [{ kind: "result", id: "c1", text: "-3 °C" }], finish: "" }],
    output: [
      { role: "assistant", parts: [{ kind: "call", name: "weather", id: "", text: "{}" }], finish: "" },
    ],
  });
});

test("messages by Vercel's AI SDK, with a tool's span", () => {
  const sent = span("a", {
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.prompt.messages": JSON.stringify([
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c0", output: "-3" }] },
    ]),
    "ai.response.toolCalls": '[{"toolCallId":"c1","toolName":"weather","input":"{\\"city\\":\\"Oslo\\"}"}]',
    "ai.response.finishReason": "tool_calls",
  });
  expect(messagesOf(sent)).toEqual({
    input: [asked, { role: "tool", parts: [{ kind: "result", id: "c0", text: "-3" }], finish: "" }],
    output: [called],
  });
  const outer = span("a", {
    "ai.operationId": "ai.generateText",
    "ai.prompt": '{"system":"Be short.","prompt":"Weather?"}',
    "ai.response.text": "Cold.",
  });
  expect(messagesOf(outer)?.input.map(({ role }) => role)).toEqual(["system", "user"]);
  const tool = { "ai.toolCall.name": "weather", "ai.toolCall.args": "{}", "ai.toolCall.result": '"cold"' };
  const [call] = callsOf(span("a", tool));
  expect([call?.name, call?.messages.input[0]?.parts, call?.messages.output[0]?.parts]).toEqual([
    "weather",
    [{ kind: "text", text: "{}" }],
    [{ kind: "text", text: '"cold"' }],
  ]);
});

test("messages by LangSmith: the whole prompt is one attribute", () => {
  const messages = messagesOf(
    span("a", {
      "langsmith.span.kind": "llm",
      "gen_ai.prompt": '{"messages":[{"role":"user","content":"Weather?"}]}',
      "gen_ai.completion": "Cold.",
    }),
  );
  expect(messages?.input).toEqual([asked]);
  expect(messages?.output[0]?.parts).toEqual([{ kind: "text", text: "Cold." }]);
});

test("system instructions, reasoning, results and media of any kind keep their text; broken JSON says nothing", () => {
  const messages = messagesOf(
    span("a", {
      "gen_ai.system_instructions": '[{"type":"text","content":"Be short."}]',
      "gen_ai.input.messages": JSON.stringify([
        { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { c: -3 } }] },
        { role: "user", parts: [{ type: "uri", uri: "https://x/y.png" }, "plain"] },
      ]),
      "gen_ai.output.messages": '[{"parts":[{"type":"reasoning","content":"Hm."}]}]',
    }),
  );
  expect(messages?.input.map(({ role, parts }) => [role, ...parts])).toEqual([
    ["system", { kind: "text", text: "Be short." }],
    ["tool", { kind: "result", id: "c1", text: '{"c":-3}' }],
    [
      "user",
      { kind: "other", name: "uri", text: '{"type":"uri","uri":"https://x/y.png"}' },
      { kind: "text", text: "plain" },
    ],
  ]);
  expect(messages?.output[0]?.parts).toEqual([{ kind: "reasoning", text: "Hm." }]);
  expect(messagesOf(span("a", { "gen_ai.input.messages": '[{"role":' }))).toEqual({ input: [], output: [] });
});

test("a tree of calls: agent, model, tool; tokens of the agent are a sum, whose spans between are left out", () => {
  const calls = callsOf(
    span("agent", {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "guide",
      "gen_ai.usage.input_tokens": 300,
      "gen_ai.usage.output_tokens": 30,
    }),
    span("http", { "http.method": "POST" }, { parent: "agent" }),
    span(
      "one",
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m-2",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
      },
      { parent: "http" },
    ),
    span(
      "tool",
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.arguments": "{}",
        "gen_ai.tool.call.result": "-3",
      },
      { parent: "agent" },
    ),
    span(
      "two",
      {
        "gen_ai.request.model": "m",
        "gen_ai.usage.prompt_tokens": 200,
        "gen_ai.usage.completion_tokens": 20,
      },
      { parent: "agent" },
    ),
  );
  expect(
    calls.map(({ level, operation, name, model, isSum }) => [level, operation, name, model, isSum]),
  ).toEqual([
    [0, "invoke_agent", "guide", "", true],
    [1, "chat", "", "m-2", false],
    [1, "execute_tool", "weather", "", false],
    [1, "call", "", "m", false],
  ]);
  expect(calls[2]?.messages.output[0]?.parts).toEqual([{ kind: "text", text: "-3" }]);
  const prices = [{ model: "m-2", input: 2, output: 10 }];
  const totals = totalsOf(calls, prices);
  expect(totals).toMatchObject({
    calls: 2,
    inputTokens: 300,
    outputTokens: 30,
    unpriced: 1,
    unpricedModels: ["m"],
  });
  expect(totals.cost).toBeCloseTo(0.0003, 12);
  expect(totalsOf(calls, []).cost).toBeUndefined();
});

test("the first token by attribute, or by the first event of the answer", () => {
  expect(callsOf(span("a", { "gen_ai.response.time_to_first_chunk": 0.25 }))[0]?.firstTokenUs).toBe(250_000);
  const logs = [event("First Token Stream Event", {}, 3_000), event("First Token Stream Event", {}, 1_700)];
  expect(callsOf(span("a", { "llm.model_name": "m" }, { logs }))[0]?.firstTokenUs).toBe(700);
  expect(callsOf(span("a", { "llm.model_name": "m" }))[0]?.firstTokenUs).toBeUndefined();
});

test("scores of an answer", () => {
  const logs = [
    event("gen_ai.evaluation.result", {
      "gen_ai.evaluation.name": "Relevance",
      "gen_ai.evaluation.score.value": 0.8,
      "gen_ai.evaluation.score.label": "pass",
      "gen_ai.evaluation.explanation": "on topic",
    }),
  ];
  expect(callsOf(span("a", { "gen_ai.operation.name": "chat" }, { logs }))[0]?.scores).toEqual([
    { name: "Relevance", value: "0.8 pass", explanation: "on topic" },
  ]);
});

const priced = (facts: Partial<GenAiCall>) =>
  costOf(
    { ...(callsOf(span("a", { "gen_ai.request.model": "gpt-4o-2024-08-06" }))[0] as GenAiCall), ...facts },
    [
      { model: "GPT-4o-mini*", input: 0.15, output: 0.6 },
      { model: "gpt-4o*", input: 2.5, output: 10, cachedInput: 1.25 },
    ],
  );

test.each<[string, Partial<GenAiCall>, number | undefined]>([
  ["input and output", { inputTokens: 1_000, outputTokens: 500 }, 0.0075],
  ["a cache among the input", { inputTokens: 1_000, outputTokens: 0, cachedTokens: 800 }, 0.0015],
  ["a cache beside the input", { inputTokens: 100, outputTokens: 0, cachedTokens: 800 }, 0.00125],
  ["no tokens at all", { inputTokens: 0, outputTokens: 0 }, 0],
  ["tokens that nobody said", {}, undefined],
  ["a model without a price", { model: "other", inputTokens: 1_000 }, undefined],
  ["no model", { model: "", inputTokens: 1_000 }, undefined],
])("the cost of %s", (_, facts, cost) => {
  const found = priced(facts);
  expect(found === undefined ? undefined : Number(found.toFixed(12))).toBe(cost);
});

test("what was said before the model spoke last is history", () => {
  const said = (role: string) => ({ role, parts: [], finish: "" });
  const { earlier, recent } = splitHistory(["system", "user", "assistant", "tool", "user"].map(said));
  expect([earlier.length, recent.map(({ role }) => role)]).toEqual([3, ["tool", "user"]]);
  expect(splitHistory(["system", "user"].map(said)).earlier).toEqual([]);
});

test("tokens as texts, and of a cache by the name of PydanticAI", () => {
  const [call] = callsOf(
    span("a", {
      "gen_ai.usage.input_tokens": "130213",
      "gen_ai.usage.output_tokens": "many",
      "gen_ai.usage.details.cache_read_tokens": 128_955,
    }),
  );
  expect([call?.inputTokens, call?.outputTokens, call?.cachedTokens]).toEqual([130_213, undefined, 128_955]);
});
