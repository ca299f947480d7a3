// Names of span attributes for calls of AI models. OpenTelemetry's conventions come first, then OpenInference's, then
// those of OpenLLMetry, LangSmith, Langfuse and Vercel's AI SDK.

/** Subjects by which figures can be grouped. */
export const genAiSubjects = [
  "model",
  "requested-model",
  "provider",
  "agent",
  "user",
  "conversation",
  "service",
] as const;
export type GenAiSubject = (typeof genAiSubjects)[number];

const requestedModel = ["span.gen_ai.request.model", "span.llm.model_name", "span.embedding.model_name"];
const vercelModel = "span.ai.model.id";

/** Attributes that hold a subject, in TraceQL syntax. If a span has several of them, the first one is used. */
export const subjectNames: Readonly<Record<GenAiSubject, readonly string[]>> = {
  model: ["span.gen_ai.response.model", ...requestedModel, vercelModel],
  "requested-model": [...requestedModel, vercelModel, "span.gen_ai.response.model"],
  provider: [
    "span.gen_ai.provider.name",
    "span.gen_ai.system",
    "span.llm.provider",
    "span.llm.system",
    "span.ai.model.provider",
  ],
  // Most senders name the agent on its own span only, which is the parent of its calls.
  agent: [
    "span.gen_ai.agent.name",
    "span.agent.name",
    "parent.span.gen_ai.agent.name",
    "parent.span.agent.name",
    "span.ai.telemetry.functionId",
  ],
  user: [
    "span.user.id",
    "span.enduser.id",
    "span.traceloop.association.properties.user_id",
    "span.langfuse.user.id",
    "span.langsmith.metadata.user_id",
    "span.ai.telemetry.metadata.userId",
  ],
  conversation: [
    "span.gen_ai.conversation.id",
    "span.session.id",
    "span.traceloop.association.properties.session_id",
    "span.langfuse.session.id",
    "span.langsmith.trace.session_id",
    "span.ai.telemetry.metadata.sessionId",
  ],
  service: ["resource.service.name"],
};

/** Attributes that hold numbers of tokens. If a span has several of one kind, the first one is used. */
export const tokenNames = {
  input: [
    "span.gen_ai.usage.input_tokens",
    "span.gen_ai.usage.prompt_tokens",
    "span.llm.token_count.prompt",
    "span.ai.usage.tokens",
  ],
  output: [
    "span.gen_ai.usage.output_tokens",
    "span.gen_ai.usage.completion_tokens",
    "span.llm.token_count.completion",
  ],
  cached: [
    "span.gen_ai.usage.cache_read.input_tokens",
    "span.gen_ai.usage.cache_read_input_tokens",
    "span.llm.token_count.prompt_details.cache_read",
    "span.gen_ai.usage.details.cache_read_tokens",
  ],
} as const;
export type TokenKind = keyof typeof tokenNames;

/** Attributes that hold the time to the first token, with their unit in microseconds. */
export const firstTokenNames = [
  { name: "span.gen_ai.response.time_to_first_chunk", unitUs: 1e6 },
  { name: "span.gen_ai.server.time_to_first_token", unitUs: 1e6 },
  { name: "span.ai.response.msToFirstChunk", unitUs: 1e3 },
] as const;

/**
 * Conditions that exclude spans around calls of models, such as agents and tools. Those spans repeat the tokens of the
 * calls inside. A span without the attribute passes.
 */
const callKinds = [
  [
    "span.gen_ai.operation.name",
    '!~ "(?i)(invoke_agent|create_agent|invoke_workflow|execute_tool|plan|agent|tool|chain|task)"',
  ],
  ["span.openinference.span.kind", '=~ "(?i)(llm|embedding|reranker)"'],
  ["span.traceloop.span.kind", '!~ "(?i)(workflow|task|agent|tool)"'],
  ["span.langsmith.span.kind", '=~ "(?i)(llm|embedding)"'],
  // The AI SDK wraps each `ai.generateText.doGenerate` in an `ai.generateText` with the same tokens.
  ["span.ai.operationId", '=~ ".*[.]do[A-Z].*"'],
] as const;

/** Condition that one of the names is on the span. */
export function anyOf(names: readonly string[]): string {
  return `(${names.map((name) => `${name} != nil`).join(" || ")})`;
}

/** Condition for spans that call a model: they name a model, and are no agent, tool or wrapper. */
export const isModelCall = [
  anyOf(subjectNames.model),
  ...callKinds.map(([name, test]) => `(${name} = nil || ${name} ${test})`),
].join(" && ");

/** Condition that a subject has this value, in the first of its attributes that is on the span. */
export function hasValue(subject: GenAiSubject, value: string): string {
  const names = subjectNames[subject];
  // Some senders write ids of users as numbers.
  const literals = [JSON.stringify(value), ...(/^(0|[1-9]\d{0,14})$/.test(value) ? [value] : [])];
  const alternatives = names.map((name, index) => {
    const isValue = `(${literals.map((literal) => `${name} = ${literal}`).join(" || ")})`;
    const earlier = names.slice(0, index).map((other) => `${other} = nil`);
    return `(${[isValue, ...earlier].join(" && ")})`;
  });
  return `(${alternatives.join(" || ")})`;
}
