import { corpus } from "../corpus/corpus.ts";
import type { Answers } from "./answers.ts";
import { askQuestions, countSpans, traceIdsOf } from "./ask-questions.ts";
import { sendMessage } from "./send-message.ts";
import type { TracingBackend } from "./tracing-backend.ts";

const unchangedForMs = 2_000;
const visibleWithinMs = 30_000;
const askAgainMs = 100;

/**
 * Waits until the spans are found: for each trace the number in `expected`; without `expected`, until the numbers stay
 * the same for two seconds. Gives up after some time: missing spans then show as differences of the answers.
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

/** Number of spans of each trace in new or recorded answers. */
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
 * Sends the whole corpus, and asks all questions about it.
 * @param expected number of spans of each trace; undefined when it is not known
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
