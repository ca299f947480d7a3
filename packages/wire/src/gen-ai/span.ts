/** A typed attribute. `value` is a text, a number or a boolean; null for none. */
export interface GenAiAttribute {
  readonly key: string;
  readonly value: unknown;
}

/** The parts of a span that tell about models, agents and tools, in the form of the JSON API. */
export interface GenAiSpan {
  /** Microseconds since 1970. */
  readonly startTime: number;
  readonly tags: readonly GenAiAttribute[] | null;
  /** Events. The field `event` is the name, `timestamp` is microseconds since 1970. */
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly GenAiAttribute[] }[] | null;
}

/** Prefixes of the attributes of OpenTelemetry, OpenLLMetry, OpenInference, Traceloop, LangSmith and the AI SDK. */
const marks = [
  "gen_ai.",
  "llm.",
  "openinference.",
  "traceloop.",
  "langsmith.",
  "ai.operationId",
  "ai.toolCall.",
];

/** True when a span has attributes about a model, an agent or a tool. */
export function isGenAi({ tags }: Pick<GenAiSpan, "tags">): boolean {
  return (tags ?? []).some(({ key }) => marks.some((mark) => key.startsWith(mark)));
}
