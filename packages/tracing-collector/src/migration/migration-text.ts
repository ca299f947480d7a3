import { stringify } from "yaml";
import type { MigratedLine, Migration, Outcome } from "./migration.ts";

export interface MigratedFile {
  /** Name of the file, such as `tracing-collector.yaml`. */
  readonly name: string;
  /** Content of the file, beginning with a comment about the source. */
  readonly text: string;
}

/** The files of a migration: one for each process, and one for the policies. */
export function migratedFiles(
  { product, processes, tailPolicies }: Migration,
  origin: string,
): MigratedFile[] {
  const head = `# From ${origin} (${product}), by tracing-collector migrate-config.\n`;
  const files = [...processes].map(([process, options]) => ({
    name: `${process}.yaml`,
    text: `${head}${options.size === 0 ? "# Every option keeps its default.\n" : stringify(Object.fromEntries(options), { lineWidth: 0 })}`,
  }));
  return tailPolicies === undefined
    ? files
    : [
        ...files,
        { name: "tail-policies.yaml", text: head + stringify({ policies: tailPolicies }, { lineWidth: 0 }) },
      ];
}

/** First character of a line of the report, by the outcome of its setting. */
const signs: Record<Outcome["kind"], string> = { written: "+", needless: "=", lacking: "!" };

/** `--log-level (tracing-collector, tracing-query)`, or the reason why nothing is written. */
function outcomeText(outcome: Outcome): string {
  if (outcome.kind !== "written") {
    return outcome.note;
  }
  const names = new Map<string, string[]>();
  for (const { process, name } of outcome.options) {
    names.set(name, [...(names.get(name) ?? []), process]);
  }
  const told = [...names].map(([name, processes]) => `--${name} (${processes.join(", ")})`).join(", ");
  return outcome.note === undefined ? told : `${told}; ${outcome.note}`;
}

/** One line for each setting: `+` written, `=` not needed, `!` without counterpart. */
export function migrationReport(lines: readonly MigratedLine[]): string {
  const width = String(lines.at(-1)?.line ?? 1).length;
  const count = (kind: Outcome["kind"]) => lines.filter(({ outcome }) => outcome.kind === kind).length;
  const told = lines.map(
    ({ line, place, outcome }) =>
      `${signs[outcome.kind]} ${String(line).padStart(width)}  ${place}: ${outcomeText(outcome)}`,
  );
  const sum = `${lines.length} settings: ${count("written")} written (+), ${count("needless")} not needed (=), ${count("lacking")} without counterpart (!)`;
  return `${[...told, sum].join("\n")}\n`;
}
