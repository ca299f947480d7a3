import type { GenAiAttribute, GenAiSpan } from "./span.ts";

/** A part of a message. All its texts were sent by a traced program. */
export type MessagePart =
  | { kind: "text" | "reasoning"; text: string }
  | { kind: "call"; name: string; id: string; text: string }
  | { kind: "result"; id: string; text: string }
  /** Media and unknown kinds, as JSON. */
  | { kind: "other"; name: string; text: string };

/** A message to or from a model. */
export interface GenAiMessage {
  /** Role: `system`, `user`, `assistant`, `tool`, or another name of the sender. */
  role: string;
  /** The parts, in the sender's order; empty for a message without content. */
  parts: MessagePart[];
  /** Finish reason of the model; "" for messages to the model. */
  finish: string;
}

/** Messages of one call, in their original order. */
export interface GenAiMessages {
  /** Messages to the model. */
  input: GenAiMessage[];
  /** Answers of the model. */
  output: GenAiMessage[];
}

/** Maximum number of shown messages of one call; the span's attributes have all messages. */
const mostMessages = 500;
/** Largest message number in attribute keys. A higher index is not a message. */
const highestIndex = 9_999;

/** Attributes by key, as text. */
export type Texts = ReadonlyMap<string, string>;

/** The attributes of a span or event, as text. The first of a repeated key counts. */
export function textsOf(attributes: readonly GenAiAttribute[] | null): Texts {
  const texts = new Map<string, string>();
  for (const { key, value } of attributes ?? []) {
    if (value !== null && !texts.has(key)) {
      texts.set(key, String(value));
    }
  }
  return texts;
}

/**
 * The messages of a span. Senders write OpenTelemetry's JSON attributes on the span or on its details event, or
 * OpenTelemetry's older events, or numbered attributes (OpenLLMetry, OpenInference). The first form with messages is
 * used, because senders that write two forms repeat the same messages.
 */
export function messagesOf(span: Pick<GenAiSpan, "logs">, tags: Texts): GenAiMessages {
  const events = (span.logs ?? []).map(({ fields }) => textsOf(fields));
  const found = [
    jsonMessages(tags),
    ...events.map(jsonMessages),
    eventMessages(events),
    numberedMessages(tags, openLlmetry),
    numberedMessages(tags, openInference),
    aiSdkMessages(tags),
    promptMessages(tags),
    plainMessages(tags),
  ].find(({ input, output }) => input.length + output.length > 0) ?? { input: [], output: [] };
  return { input: found.input.slice(0, mostMessages), output: found.output.slice(0, mostMessages) };
}

/** Messages of `gen_ai.input.messages` and similar attributes. */
function jsonMessages(texts: Texts): GenAiMessages {
  const system = listOf(texts.get("gen_ai.system_instructions")).flatMap(partsOf);
  return {
    input: [
      ...(system.length === 0 ? [] : [{ role: "system", parts: system, finish: "" }]),
      ...listOf(texts.get("gen_ai.input.messages")).map((message) => messageOf(message, "user")),
    ],
    output: listOf(texts.get("gen_ai.output.messages")).map((message) => messageOf(message, "assistant")),
  };
}

/** Roles of the older events, by their names. */
const rolesOfEvents: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};

/** Messages of the older events: one event for each message, `gen_ai.choice` for an answer. */
function eventMessages(events: readonly Texts[]): GenAiMessages {
  const messages: GenAiMessages = { input: [], output: [] };
  for (const texts of events) {
    const name = texts.get("event") ?? texts.get("event.name") ?? "";
    const role = rolesOfEvents[name];
    const body = jsonOf(texts.get("gen_ai.event.content") ?? texts.get("body"));
    const fields = isObject(body) ? { ...Object.fromEntries(texts), ...body } : Object.fromEntries(texts);
    if (role !== undefined) {
      messages.input.push(messageOf(fields, role));
    } else if (name === "gen_ai.choice") {
      const message = jsonOf(fields.message);
      const said = isObject(message) ? message : { ...fields, content: fields.message ?? fields.content };
      messages.output.push({ ...messageOf(said, "assistant"), finish: textOf(fields.finish_reason) });
    } else if (name === "gen_ai.content.prompt") {
      messages.input.push(...saidIn(texts.get("gen_ai.prompt"), "user"));
    } else if (name === "gen_ai.content.completion") {
      messages.output.push(...saidIn(texts.get("gen_ai.completion"), "assistant"));
    }
  }
  return messages;
}

/** Parses a JSON list of messages, or the text of one message. */
function saidIn(text: string | undefined, role: string): GenAiMessage[] {
  const list = listOf(text);
  return list.length > 0
    ? list.map((message) => messageOf(message, role))
    : text === undefined || text === ""
      ? []
      : [{ role, parts: [{ kind: "text", text }], finish: "" }];
}

/** Prefixes of the keys of numbered attributes. */
interface Numbering {
  input: string;
  output: string;
  /** Prefix of a field's name, after the number. */
  field: string;
}

const openLlmetry: Numbering = { input: "gen_ai.prompt.", output: "gen_ai.completion.", field: "" };
const openInference: Numbering = {
  input: "llm.input_messages.",
  output: "llm.output_messages.",
  field: "message.",
};

function numberedMessages(tags: Texts, { input, output, field }: Numbering): GenAiMessages {
  return {
    input: numbered(tags, input).map((texts) => numberedMessage(texts, field, "user")),
    output: numbered(tags, output).map((texts) => numberedMessage(texts, field, "assistant")),
  };
}

function numberedMessage(texts: Texts, field: string, role: string): GenAiMessage {
  const of = (name: string) => texts.get(`${field}${name}`);
  const parts: MessagePart[] = [
    ...contentParts(of("content")),
    ...numbered(texts, `${field}contents.`).flatMap((content) =>
      contentParts(content.get("message_content.text")),
    ),
    ...numbered(texts, `${field}tool_calls.`).map(
      (call): MessagePart => ({
        kind: "call",
        name: call.get("name") ?? call.get("tool_call.function.name") ?? "",
        id: call.get("id") ?? call.get("tool_call.id") ?? "",
        text: call.get("arguments") ?? call.get("tool_call.function.arguments") ?? "",
      }),
    ),
  ];
  const said = of("role") || role;
  return {
    role: said,
    parts: said === "tool" ? asResults(parts, of("tool_call_id")) : parts,
    finish: of("finish_reason") ?? "",
  };
}

/** Groups attributes `prefix<number>.…` by number. The keys lose the prefix. */
function numbered(texts: Texts, prefix: string): Texts[] {
  const byNumber = new Map<number, Map<string, string>>();
  for (const [key, text] of texts) {
    if (!key.startsWith(prefix)) {
      continue;
    }
    const [, index, rest] = /^(\d{1,4})\.(.+)$/s.exec(key.slice(prefix.length)) ?? [];
    const number = Number(index);
    if (rest !== undefined && number <= highestIndex) {
      const own = byNumber.get(number) ?? new Map<string, string>();
      byNumber.set(number, own.set(rest, text));
    }
  }
  return [...byNumber].sort(([one], [other]) => one - other).map(([, own]) => own);
}

/** Input and output of spans of tools, agents and chains. */
function plainMessages(tags: Texts): GenAiMessages {
  const part = (role: string, key: string): GenAiMessage[] => {
    const text = tags.get(key);
    return text === undefined || text === "" ? [] : [{ role, parts: [{ kind: "text", text }], finish: "" }];
  };
  return {
    input: [...part("arguments", "gen_ai.tool.call.arguments"), ...part("input", "input.value")].slice(0, 1),
    output: [...part("result", "gen_ai.tool.call.result"), ...part("output", "output.value")].slice(0, 1),
  };
}

/** Messages of Vercel's AI SDK: JSON attributes on the span of the call. */
function aiSdkMessages(tags: Texts): GenAiMessages {
  const prompt = jsonOf(tags.get("ai.prompt"));
  const asked = isObject(prompt) ? prompt : {};
  const input = [
    ...saidIn(textOf(asked.system), "system"),
    ...listOf(tags.get("ai.prompt.messages") ?? asked.messages).map((message) => messageOf(message, "user")),
    ...(typeof asked.prompt === "string" ? saidIn(asked.prompt, "user") : []),
    ...saidIn(tags.get("ai.toolCall.args"), "arguments"),
  ];
  const calls = listOf(tags.get("ai.response.toolCalls")).map(callOf);
  const parts = [...contentParts(tags.get("ai.response.text") ?? tags.get("ai.response.object")), ...calls];
  const finish = tags.get("ai.response.finishReason") ?? "";
  return {
    input,
    output: [
      ...(parts.length === 0 ? [] : [{ role: "assistant", parts, finish }]),
      ...saidIn(tags.get("ai.toolCall.result"), "result"),
    ],
  };
}

/** Messages of LangSmith, and of OpenTelemetry's oldest conventions: the whole prompt is one attribute. */
function promptMessages(tags: Texts): GenAiMessages {
  const said = (key: string, role: string) => {
    const text = tags.get(key);
    const value = jsonOf(text);
    return isObject(value) && Array.isArray(value.messages)
      ? value.messages.map((message: unknown) => messageOf(message, role))
      : saidIn(text, role);
  };
  return { input: said("gen_ai.prompt", "user"), output: said("gen_ai.completion", "assistant") };
}

/**
 * Converts a message from JSON: `{"role": "user", "content": "hi"}`. A plain value is the text of a message with the
 * role `otherwise`.
 */
function messageOf(message: unknown, otherwise: string): GenAiMessage {
  if (!isObject(message)) {
    return { role: otherwise, parts: [{ kind: "text", text: textOf(message) }], finish: "" };
  }
  const calls = listOf(message.tool_calls).map(callOf);
  const parts = [...contentParts(message.parts ?? message.content), ...calls];
  const role = textOf(message.role) || otherwise;
  return {
    role,
    parts: role === "tool" ? asResults(parts, message.tool_call_id ?? message.id) : parts,
    finish: textOf(message.finish_reason),
  };
}

/** Converts the texts of a tool's message to results of the tool call. */
function asResults(parts: readonly MessagePart[], id: unknown): MessagePart[] {
  return parts.map((part) =>
    part.kind === "text" ? { kind: "result", id: textOf(id), text: part.text } : part,
  );
}

/** The parts of a content: a text, a list of typed parts, or such a list as JSON text. */
function contentParts(content: unknown): MessagePart[] {
  if (content === undefined || content === null || content === "") {
    return [];
  }
  if (Array.isArray(content)) {
    return content.flatMap(partsOf);
  }
  // A user's message may itself be JSON, so only a list of typed elements counts as parts.
  const list = listOf(content);
  const areParts = list.length > 0 && list.every((part) => isObject(part) && typeof part.type === "string");
  return areParts ? list.flatMap(partsOf) : [{ kind: "text", text: textOf(content) }];
}

/**
 * Converts one typed part in the formats of OpenTelemetry, OpenAI and Anthropic. An unknown type stays as
 * JSON.
 */
function partsOf(part: unknown): MessagePart[] {
  if (!isObject(part)) {
    return [{ kind: "text", text: textOf(part) }];
  }
  const type = textOf(part.type);
  const content = part.content ?? part.text ?? "";
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return [{ kind: "text", text: textOf(content) }];
    case "reasoning":
    case "thinking":
      return [{ kind: "reasoning", text: textOf(part.content ?? part.thinking ?? part.text) }];
    case "tool_call":
    case "tool-call":
    case "tool_use":
    case "function":
      return [callOf(part)];
    case "tool_call_response":
    case "tool-result":
    case "tool_result":
      return [
        {
          kind: "result",
          id: textOf(part.id ?? part.tool_use_id ?? part.toolCallId),
          text: textOf(part.response ?? part.result ?? part.output ?? part.content),
        },
      ];
    default:
      return [{ kind: "other", name: type, text: textOf(part) }];
  }
}

/** A tool call. OpenAI has name and arguments below `function`. */
function callOf(call: unknown): MessagePart {
  if (!isObject(call)) {
    return { kind: "call", name: "", id: "", text: textOf(call) };
  }
  const target = isObject(call.function) ? call.function : call;
  return {
    kind: "call",
    name: textOf(target.name ?? target.toolName),
    id: textOf(call.id ?? call.toolCallId),
    text: textOf(target.arguments ?? target.input ?? target.args),
  };
}

/** A list, or a list as JSON text; empty for anything else. */
function listOf(value: unknown): readonly unknown[] {
  const parsed = typeof value === "string" ? jsonOf(value) : value;
  return Array.isArray(parsed) ? parsed : [];
}

/** @returns undefined for a value that is not a JSON list or object */
function jsonOf(text: unknown): unknown {
  if (isObject(text)) {
    return text;
  }
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as text: texts unchanged, other values as JSON. */
function textOf(value: unknown): string {
  return value === undefined || value === null
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}
