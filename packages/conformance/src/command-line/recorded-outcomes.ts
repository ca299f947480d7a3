import { readFileSync, writeFileSync } from "node:fs";
import type { CommandOutcome } from "./run-command.ts";

const file = new URL("../../recorded-commands.json", import.meta.url);

export type CommandOutcomes = Readonly<Record<string, CommandOutcome>>;

/** Recorded outcomes of the public model's commands, from the last run that had its program. */
export function readRecordedOutcomes(): CommandOutcomes {
  return JSON.parse(readFileSync(file, "utf8")) as CommandOutcomes;
}

/** Writes the outcomes to the file, one on each line, so that a change of one outcome changes one line. */
export function writeRecordedOutcomes(outcomes: CommandOutcomes): void {
  const lines = Object.entries(outcomes).map(
    ([question, outcome]) => `${JSON.stringify(question)}: ${JSON.stringify(outcome)}`,
  );
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
}
