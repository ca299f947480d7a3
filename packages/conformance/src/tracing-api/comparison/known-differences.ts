import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Difference } from "./answers.ts";

const knownDifference = z.strictObject({
  reason: z.string().describe("Why ours is another answer, for the reader of docs/known-differences.md."),
  questions: z.array(z.string()).describe("What was asked or sent; * stands for anything."),
  paths: z.array(z.string()).describe("Where in the answer; * stands for anything."),
});

/** A difference on purpose, in the answer to any of these questions at any of these paths. */
export type KnownDifference = z.infer<typeof knownDifference>;

const tracingFile = new URL("../../../known-differences.json", import.meta.url);

/**
 * The list of known differences, which should only become shorter. @param file file of another comparison; by default
 * the file of the tracing APIs
 */
export function readKnownDifferences(file = tracingFile): KnownDifference[] {
  return z.array(knownDifference).parse(JSON.parse(readFileSync(file, "utf8")));
}

function matcher(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return (text) => expression.test(text);
}

export interface Verdict {
  /** Differences that no entry explains. */
  readonly unknown: readonly Difference[];
  /** Number of differences that entries explain. */
  readonly known: number;
  /** Patterns of entries that no longer match a difference and should be removed. */
  readonly stale: readonly string[];
}

/** Separates known differences from unknown ones, and finds patterns that match no difference. */
export function judge(differences: readonly Difference[], known: readonly KnownDifference[]): Verdict {
  const patterns = known.map(({ questions, paths }) => ({
    questions: questions.map((text) => ({ text, matches: matcher(text), isUsed: false })),
    paths: paths.map((text) => ({ text, matches: matcher(text), isUsed: false })),
  }));
  const unknown = differences.filter(({ question, path }) => {
    let isKnown = false;
    for (const entry of patterns) {
      const asked = entry.questions.filter(({ matches }) => matches(question));
      const found = entry.paths.filter(({ matches }) => matches(path));
      if (asked.length === 0 || found.length === 0) {
        continue;
      }
      for (const pattern of [...asked, ...found]) {
        pattern.isUsed = true;
      }
      isKnown = true;
    }
    return !isKnown;
  });
  return {
    unknown,
    known: differences.length - unknown.length,
    stale: patterns.flatMap(({ questions, paths }) =>
      [...questions, ...paths].filter(({ isUsed }) => !isUsed).map(({ text }) => text),
    ),
  };
}
