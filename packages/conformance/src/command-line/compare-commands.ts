import { isDeepStrictEqual } from "node:util";
import { commandQuestions } from "./command-questions.ts";
import { knownCommandDifferences } from "./known-command-differences.ts";
import type { CommandOutcomes } from "./recorded-outcomes.ts";
import { type CommandOutcome, runCommand } from "./run-command.ts";

/** Number of concurrent commands. */
const atOnce = 3;

export interface CommandDifference {
  readonly question: string;
  readonly theirs: CommandOutcome | undefined;
  readonly ours: CommandOutcome;
}

export interface CommandComparison {
  readonly asked: number;
  readonly unknown: readonly CommandDifference[];
  /** Names of known differences that no longer exist. */
  readonly stale: readonly string[];
}

/** Runs every command of the table. @param program program of the public model; when absent, our program runs */
export async function runAllCommands(program?: string): Promise<CommandOutcomes> {
  const outcomes: Record<string, CommandOutcome> = {};
  const questions = Object.entries(commandQuestions);
  const next = questions.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [name, question] of next) {
        outcomes[name] = await runCommand(question, program);
      }
    }),
  );
  return Object.fromEntries(questions.map(([name]) => [name, outcomes[name]])) as CommandOutcomes;
}

/** Compares exit codes, output and files, as each question requests. */
export function compareOutcomes(theirs: CommandOutcomes, ours: CommandOutcomes): CommandComparison {
  const differences = Object.entries(ours)
    .map(([question, outcome]) => ({ question, theirs: theirs[question], ours: outcome }))
    .filter((each) => !isDeepStrictEqual(each.theirs, each.ours));
  const different = new Set(differences.map(({ question }) => question));
  return {
    asked: Object.keys(ours).length,
    unknown: differences.filter(({ question }) => !Object.hasOwn(knownCommandDifferences, question)),
    stale: Object.keys(knownCommandDifferences).filter((question) => !different.has(question)),
  };
}
