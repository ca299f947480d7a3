import { judge } from "../tracing-api/comparison/known-differences.ts";
import { verdictText } from "../tracing-api/comparison/verdict-text.ts";
import { type GrafanaResult, readKnownGrafanaDifferences } from "./compare-grafana.ts";

/** The verdict of a run, with a text that lists all failures and differences and the number of questions. */
export function grafanaVerdict({ questions, failures, models, differences }: GrafanaResult): {
  readonly isGood: boolean;
  readonly text: string;
} {
  const lines = failures.map(({ name, failure }) => `FAILED  ${name}\n          ${failure}`);
  lines.push(`${questions - failures.length} of ${questions} answers of ours are as expected`);
  if (models.length === 0) {
    lines.push("skipped: the comparison; it needs Jaeger's data source and jaeger-all-in-one");
    return { isGood: failures.length === 0, text: lines.join("\n") };
  }
  // An entry about a model that is not installed matches nothing; such an entry is not stale.
  const known = readKnownGrafanaDifferences().filter((entry) =>
    entry.questions.every((pattern) => models.some((model) => pattern.startsWith(model))),
  );
  const verdict = judge(differences, known);
  lines.push(`compared with ${models.join(" and ")}:`);
  lines.push(verdictText({ ...verdict, questions }, "known-grafana-differences.json"));
  const isGood = failures.length + verdict.unknown.length + verdict.stale.length === 0;
  return { isGood, text: lines.join("\n") };
}
