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

/** Starts a backend with the strategies of the questions, sends it the corpus and asks it everything. */
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

/** The public model's answers. @param programs folder of its programs */
export function askPublicModel(programs: string): Promise<Answers> {
  return askOnce((strategiesFile) => startPublicModel(programs, strategiesFile));
}

/** Our answers. @param theirs say how many spans there are to wait for */
export function askOurs(theirs: Answers): Promise<Answers> {
  return askOnce(startOurs, spanCounts(theirs));
}

export interface Comparison extends Verdict {
  /** How many questions the public model was asked. */
  readonly questions: number;
}

/** Compares our answers with those of the public model, given or recorded. */
export function compareWithOurs(theirs: Answers, ours: Answers): Comparison {
  // Through JSON, as the recorded ones went: -0 is 0 there.
  const differences = compareAnswers(throughJson(theirs), throughJson(ours));
  return { ...judge(differences, readKnownDifferences()), questions: Object.keys(theirs).length };
}

const throughJson = (answers: Answers) => JSON.parse(JSON.stringify(answers)) as Answers;
