import { corpus } from "../corpus/corpus.ts";
import type { Answers } from "./answers.ts";
import { askQuestions, countSpans, traceIdsOf } from "./ask-questions.ts";
import { sendMessage } from "./send-message.ts";
import type { TracingBackend } from "./tracing-backend.ts";

const unchangedForMs = 2_000;
const visibleWithinMs = 30_000;
const askAgainMs = 100;

/**
 * Waits until the spans are found: as many of each trace as `expected` says; without that, until nothing new has come
 * for two seconds. Gives up after half a minute: what is missing then shows in the answers.
 */
async function settled(
  backend: TracingBackend,
  traceIds: readonly string[],
  expected: ReadonlyMap<string, number> | undefined,
): Promise<void> {
  const end = Date.now() + visibleWithinMs;
  let missing = traceIds;
  let before = "";
  let since = Date.now();
  while (Date.now() < end) {
    const counts = await countSpans(backend, missing);
    if (expected !== undefined) {
      missing = missing.filter((traceId) => (counts.get(traceId) ?? 0) < (expected.get(traceId) ?? 0));
      if (missing.length === 0) {
        return;
      }
    } else {
      const now = JSON.stringify([...counts]);
      if (now !== before) {
        since = Date.now();
      } else if (Date.now() - since > unchangedForMs) {
        return;
      }
      before = now;
    }
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

/** How many spans each trace has in answers that were given or recorded. */
export function spanCounts(answers: Answers): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [question, answer] of Object.entries(answers)) {
    const traceId = /^GetTrace (\w+) \(/.exec(question)?.[1];
    const chunks = (answer as { answer?: { chunks?: readonly number[] } } | null)?.answer?.chunks;
    if (traceId !== undefined && chunks !== undefined) {
      counts.set(
        traceId,
        chunks.reduce((sum, count) => sum + count, 0),
      );
    }
  }
  return counts;
}

/**
 * Sends the whole corpus and asks everything about it.
 * @param expected how many spans each trace is to have, when that is known
 */
export async function answersOf(
  backend: TracingBackend,
  expected?: ReadonlyMap<string, number>,
): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  for (const message of corpus) {
    answers[`send ${message.name}`] = await sendMessage(backend, message);
  }
  await settled(backend, traceIdsOf(corpus), expected);
  return { ...answers, ...(await askQuestions(backend, corpus)) };
}
