import { type GenAiMessages, messagesOf, type Texts, textsOf } from "./messages.ts";
import type { GenAiSpan } from "./span.ts";

/** The facts that a span has about its call of a model, an agent or a tool. */
export interface GenAiFacts {
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
}

/** An evaluation of an answer. */
export interface GenAiScore {
  name: string;
  /** The result: a number, a label, or both. */
  value: string;
  explanation: string;
}

/** The facts of a span, each read from the first convention that has the fact. */
export function genAiFacts(span: GenAiSpan): GenAiFacts {
  const tags = textsOf(span.tags);
  const first = (...keys: string[]) =>
    keys.map((key) => tags.get(key)).find((text) => text !== undefined && text !== "") ?? "";
  const kind = first(
    "openinference.span.kind",
    "traceloop.span.kind",
    "langsmith.span.kind",
    "llm.request.type",
    "ai.operationId",
  ).toLowerCase();
  return {
    operation: first("gen_ai.operation.name") || kind || "call",
    model: first(
      "gen_ai.response.model",
      "gen_ai.request.model",
      "llm.model_name",
      "embedding.model_name",
      "ai.model.id",
    ),
    provider: first(
      "gen_ai.provider.name",
      "gen_ai.system",
      "llm.provider",
      "llm.system",
      "ai.model.provider",
    ),
    name: first(
      "gen_ai.agent.name",
      "gen_ai.tool.name",
      "agent.name",
      "tool.name",
      "traceloop.entity.name",
      "ai.toolCall.name",
    ),
    ...tokensOf(tags),
    firstTokenUs: firstTokenUs(span, tags),
    messages: messagesOf(span, tags),
    scores: (span.logs ?? []).flatMap(({ fields }) => scoreOf(textsOf(fields))),
  };
}

/** Numbers of tokens, each from the first convention that has it. */
function tokensOf(tags: Texts): Pick<GenAiFacts, "inputTokens" | "outputTokens" | "cachedTokens"> {
  return {
    inputTokens: countIn(
      tags,
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.prompt_tokens",
      "llm.token_count.prompt",
      "ai.usage.inputTokens",
      "ai.usage.promptTokens",
      "ai.usage.tokens",
    ),
    outputTokens: countIn(
      tags,
      "gen_ai.usage.output_tokens",
      "gen_ai.usage.completion_tokens",
      "llm.token_count.completion",
      "ai.usage.outputTokens",
      "ai.usage.completionTokens",
    ),
    cachedTokens: countIn(
      tags,
      "gen_ai.usage.cache_read.input_tokens",
      "gen_ai.usage.cache_read_input_tokens",
      "gen_ai.usage.cache_read_tokens",
      "gen_ai.usage.details.cache_read_tokens",
      "llm.token_count.prompt_details.cache_read",
      "ai.usage.cachedInputTokens",
    ),
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
 * Microseconds until the first part of the answer: from an attribute in seconds or milliseconds, else from the time of
 * the first of `firstTokenEvents`.
 */
function firstTokenUs(span: GenAiSpan, tags: Texts): number | undefined {
  const seconds = countIn(tags, "gen_ai.response.time_to_first_chunk", "gen_ai.server.time_to_first_token");
  if (seconds !== undefined) {
    return seconds * 1e6;
  }
  const millis = countIn(tags, "ai.response.msToFirstChunk");
  if (millis !== undefined) {
    return millis * 1e3;
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
