import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Answers, compareAnswers } from "./answers.ts";
import { answersOf, spanCounts } from "./answers-of.ts";
import { judge, readKnownDifferences, type Verdict } from "./known-differences.ts";
import { startOurs } from "./our-backend.ts";
import { startPublicModel } from "./public-model.ts";
import { samplingStrategies } from "./questions.ts";
import type { TracingBackend } from "./tracing-backend.ts";

/** Starts a backend with the sampling strategies of the questions, sends the corpus, and asks all questions. */
async function askOnce(
  start: (strategiesFile: string) => Promise<TracingBackend>,
  expected?: ReadonlyMap<string, number>,
): Promise<Answers> {
  const folder = mkdtempSync(join(tmpdir(), "comparison-"));
  try {
    const strategiesFile = join(folder, "strategies.json");
    writeFileSync(strategiesFile, JSON.stringify(samplingStrategies));
    const backend = await start(strategiesFile);
    try {
      return await answersOf(backend, expected);
    } finally {
      await backend.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Answers of the public model. @param programs folder of its programs */
export function askPublicModel(programs: string): Promise<Answers> {
  return askOnce((strategiesFile) => startPublicModel(programs, strategiesFile));
}

/** Answers of our processes. @param theirs answers of the public model, which give the number of spans to wait for */
export function askOurs(theirs: Answers): Promise<Answers> {
  return askOnce(startOurs, spanCounts(theirs));
}

export interface Comparison extends Verdict {
  /** Number of questions to the public model. */
  readonly questions: number;
}

/** Compares our answers with new or recorded answers of the public model. */
export function compareWithOurs(theirs: Answers, ours: Answers): Comparison {
  // Both are converted to JSON and back, like the recorded answers, because JSON has no -0.
  const differences = compareAnswers(throughJson(theirs), throughJson(ours));
  return { ...judge(differences, readKnownDifferences()), questions: Object.keys(theirs).length };
}

const throughJson = (answers: Answers) => JSON.parse(JSON.stringify(answers)) as Answers;
