import { type GenAiMessages, messagesOf, type Texts, textsOf } from "./gen-ai-messages.ts";
import { isGenAi } from "./gen-ai-span.ts";
import type { Trace } from "./trace.ts";
import type { ApiSpan } from "./trace-schema.ts";

/** A span about a model, an agent or a tool. */
export interface GenAiCall {
  /** Index of the span in the trace. */
  span: number;
  /** Nesting level: the number of calls around this call. */
  level: number;
  /** Operation: `chat`, `invoke_agent`, `execute_tool`, or OpenInference's kind in lower case. */
  operation: string;
  /** The model that answered, else the requested model; "" for other spans. */
  model: string;
  /** Provider of the model; "" when the span has none. */
  provider: string;
  /** Name of the agent or tool. */
  name: string;
  /** Number of input tokens; undefined when the span has no count. */
  inputTokens: number | undefined;
  /** Number of output tokens; undefined when the span has no count. */
  outputTokens: number | undefined;
  /** Number of input tokens read from the provider's cache. */
  cachedTokens: number | undefined;
  /** Microseconds until the first part of the answer. */
  firstTokenUs: number | undefined;
  /** Messages to the model and from it. */
  messages: GenAiMessages;
  /** Evaluations of the answer, from events of the span. */
  scores: GenAiScore[];
  /** True when a nested call has tokens. The own tokens are then a sum, which must not count twice. */
  isSum: boolean;
}

/** An evaluation of an answer. */
export interface GenAiScore {
  name: string;
  /** The result: a number, a label, or both. */
  value: string;
  explanation: string;
}

/** The calls of models, agents and tools in the order of the tree. */
export function genAiCalls(trace: Trace): GenAiCall[] {
  const calls: GenAiCall[] = [];
  const open: GenAiCall[] = [];
  for (const [index, span] of trace.spans.entries()) {
    while (open.length > 0 && index >= (trace.subtreeEnd[open.at(-1)?.span ?? 0] as number)) {
      open.pop();
    }
    if (!isGenAi(span)) {
      continue;
    }
    const call = callOf(index, span, open.length);
    if (call.inputTokens !== undefined || call.outputTokens !== undefined) {
      for (const outer of open) {
        outer.isSum = true;
      }
    }
    calls.push(call);
    open.push(call);
  }
  return calls;
}

/** The facts of a span, each read from the first convention that has the fact. */
function callOf(index: number, span: ApiSpan, level: number): GenAiCall {
  const tags = textsOf(span.tags);
  const first = (...keys: string[]) =>
    keys.map((key) => tags.get(key)).find((text) => text !== undefined && text !== "") ?? "";
  const kind = first("openinference.span.kind", "traceloop.span.kind", "llm.request.type").toLowerCase();
  return {
    ...{ span: index, level },
    operation: first("gen_ai.operation.name") || kind || "call",
    model: first("gen_ai.response.model", "gen_ai.request.model", "llm.model_name"),
    provider: first("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"),
    name: first("gen_ai.agent.name", "gen_ai.tool.name", "tool.name", "traceloop.entity.name"),
    inputTokens: countIn(
      tags,
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.prompt_tokens",
      "llm.token_count.prompt",
    ),
    outputTokens: countIn(
      tags,
      "gen_ai.usage.output_tokens",
      "gen_ai.usage.completion_tokens",
      "llm.token_count.completion",
    ),
    cachedTokens: countIn(
      tags,
      "gen_ai.usage.cache_read.input_tokens",
      "gen_ai.usage.cache_read_input_tokens",
      "gen_ai.usage.cache_read_tokens",
      "gen_ai.usage.details.cache_read_tokens",
      "llm.token_count.prompt_details.cache_read",
    ),
    firstTokenUs: firstTokenUs(span, tags),
    messages: messagesOf(span, tags),
    scores: (span.logs ?? []).flatMap(({ fields }) => scoreOf(textsOf(fields))),
    isSum: false,
  };
}

/** The first of these attributes that is a valid number. */
function countIn(tags: Texts, ...keys: string[]): number | undefined {
  for (const key of keys) {
    const text = tags.get(key);
    const count = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isFinite(count) && count >= 0) {
      return count;
    }
  }
  return undefined;
}

/** Names of events that senders record when the first part of the answer arrives. */
const firstTokenEvents: ReadonlySet<string> = new Set([
  "First Token Stream Event",
  "gen_ai.first_token",
  "first_token",
  "gen_ai.content.completion.chunk",
  "llm.content.completion.chunk",
]);

/**
 * Microseconds until the first part of the answer: from an attribute in seconds, else from the time of the
 * first such event.
 */
function firstTokenUs(span: ApiSpan, tags: Texts): number | undefined {
  const seconds = countIn(tags, "gen_ai.response.time_to_first_chunk", "gen_ai.server.time_to_first_token");
  if (seconds !== undefined) {
    return seconds * 1e6;
  }
  const times = (span.logs ?? [])
    .filter(({ fields }) => firstTokenEvents.has(String(fields.find(({ key }) => key === "event")?.value)))
    .map(({ timestamp }) => timestamp - span.startTime)
    .filter((time) => time >= 0);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The evaluation in an event; empty for other events. */
function scoreOf(texts: Texts): GenAiScore[] {
  const name = texts.get("gen_ai.evaluation.name");
  if (name === undefined) {
    return [];
  }
  const value = [texts.get("gen_ai.evaluation.score.value"), texts.get("gen_ai.evaluation.score.label")];
  return [
    {
      name,
      value: value.filter((text) => text !== undefined && text !== "").join(" "),
      explanation: texts.get("gen_ai.evaluation.explanation") ?? "",
    },
  ];
}
