import type { GenAiMessage } from "./gen-ai-messages.ts";

/**
 * Cuts the messages of a call where the model has spoken last: every call repeats the whole conversation before it.
 * A system message at the beginning of the first call is recent.
 */
export function splitHistory(input: readonly GenAiMessage[]): {
  earlier: readonly GenAiMessage[];
  recent: readonly GenAiMessage[];
} {
  const last = input.findLastIndex(({ role }) => role === "assistant" || role === "model");
  return { earlier: input.slice(0, last + 1), recent: input.slice(last + 1) };
}
