import type { GenAiMessage } from "wire/gen-ai/messages";

/**
 * Splits the messages of a call after the last answer of the model: every call repeats the whole earlier conversation.
 * If there is no answer yet, all messages are recent, including a system message.
 */
export function splitHistory(input: readonly GenAiMessage[]): {
  earlier: readonly GenAiMessage[];
  recent: readonly GenAiMessage[];
} {
  const last = input.findLastIndex(({ role }) => role === "assistant" || role === "model");
  return { earlier: input.slice(0, last + 1), recent: input.slice(last + 1) };
}
