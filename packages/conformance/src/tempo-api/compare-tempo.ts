import { eventually, expectEqual } from "../expect.ts";
import { ask } from "../tracing-api/ask.ts";
import { type Answers, compareAnswers, type Difference } from "../tracing-api/comparison/answers.ts";
import { type KnownDifference, readKnownDifferences } from "../tracing-api/comparison/known-differences.ts";
import { askQuestion } from "./ask-question.ts";
import { type Corpus, corpusAt } from "./corpus.ts";
import { startOurTempo } from "./our-tempo.ts";
import { type Generated, type Question, questionsOf } from "./questions.ts";
import { startTempo, type TempoBackend } from "./tempo-process.ts";

/** The corpus begins at a whole minute, some minutes ago, so that a query for recent spans finds it. */
export function corpusNow(nowMs = Date.now()): Corpus {
  return corpusAt((BigInt(nowMs) / 60_000n - 5n) * 60_000_000_000n);
}

/** Sends the corpus, and resolves when searches and metrics find the whole corpus. */
export async function sendCorpus(backend: TempoBackend, corpus: Corpus): Promise<void> {
  for (const body of corpus.exports) {
    const { status, text } = await ask(`${backend.otlpHttp}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expectEqual(status, 200, `POST /v1/traces (${text})`);
  }
  await backend.flush?.();
  const times = { start: "-60", end: "180" };
  const searched = { path: "/api/search", params: { ...times, limit: "100", q: "{ }" } };
  const counted = { path: "/api/metrics/query", params: { ...times, q: "{ } | count_over_time()" } };
  await eventually(async () => {
    const found = JSON.stringify(await askQuestion(backend, searched, corpus));
    for (const id of corpus.traceIds) {
      expectEqual(found.includes(id.replace(/^0+/, "")), true, `${id} is found`);
    }
    const first = JSON.stringify(await askQuestion(backend, counted, corpus));
    expectEqual(/"value":[1-9]/.test(first), true, `spans are counted: ${first}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expectEqual(JSON.stringify(await askQuestion(backend, counted, corpus)), first, "all are counted");
  }, 90_000);
}

/** Sends all questions, a few at a time. */
export async function askAll(
  backend: TempoBackend,
  questions: ReadonlyMap<string, Question>,
  corpus: Corpus,
): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  const waiting = [...questions];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, question] = next;
      answers[name] = await askQuestion(backend, question, corpus);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return Object.fromEntries([...questions.keys()].map((name) => [name, answers[name]]));
}

const knownFile = new URL("../../known-tempo-differences.json", import.meta.url);

export const readKnownTempoDifferences = (): KnownDifference[] => readKnownDifferences(knownFile);

/**
 * Starts both backends, and sends both the same corpus and the same questions. @param program program of Grafana Tempo
 */
export async function compareWithTempo(
  program: string,
  generated?: Generated,
): Promise<{ readonly differences: readonly Difference[]; readonly questions: number }> {
  const corpus = corpusNow();
  const questions = questionsOf(corpus, generated);
  const answersOf = async (start: () => Promise<TempoBackend>) => {
    const backend = await start();
    try {
      await sendCorpus(backend, corpus);
      return await askAll(backend, questions, corpus);
    } finally {
      await backend.close();
    }
  };
  // The two run one after the other, so that each has the machine for itself.
  const theirs = await answersOf(() => startTempo(program));
  const ours = await answersOf(startOurTempo);
  return { differences: differencesOf(theirs, ours), questions: questions.size };
}

/** Differences whose paths say when only one side has a value, so that entries for known differences can match this. */
export function differencesOf(theirs: Answers, ours: Answers): Difference[] {
  return compareAnswers(theirs, ours).map((one) => {
    const alone = one.ours === undefined ? " (Tempo only)" : one.theirs === undefined ? " (ours only)" : "";
    return { ...one, path: one.path + alone };
  });
}
