import type { MigratedLine, Outcome, Rule, TargetOption, TargetProcess } from "./migration.ts";
import type { Setting } from "./source-config.ts";
import { expandVariables, ofEnvironment } from "./variables.ts";

/** Type of a component: `otlp/internal` has type `otlp`. */
const typeOf = (key: string): string => key.split("/")[0] ?? key;

/**
 * True when a path matches a pattern: `receivers.otlp.**` matches `receivers.otlp/internal.protocols.grpc.endpoint`.
 */
function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === "**";
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  return (
    (isOpen ? path.length >= fixed.length : path.length === fixed.length) &&
    fixed.every((wanted, index) => {
      const key = path[index] as string;
      return wanted === "*" || wanted === key || wanted === typeOf(key);
    })
  );
}

/** Collects the options of our processes. The first value of an option stays. */
export class TargetOptions {
  readonly #processes = new Map<TargetProcess, Map<string, TargetOption["value"]>>();

  get processes(): ReadonlyMap<TargetProcess, ReadonlyMap<string, TargetOption["value"]>> {
    return this.#processes;
  }

  /** Adds the process to the migration, even when it has no options. */
  of(process: TargetProcess): Map<string, TargetOption["value"]> {
    const options = this.#processes.get(process) ?? new Map<string, TargetOption["value"]>();
    this.#processes.set(process, options);
    return options;
  }

  /** @returns the given outcome, or `lacking` when an option already has another value */
  add(outcome: Outcome): Outcome {
    if (outcome.kind !== "written") {
      return outcome;
    }
    for (const { process, name, value } of outcome.options) {
      const before = this.of(process).get(name);
      if (before !== undefined && before !== value) {
        return { kind: "lacking", note: `${process} has one ${name}, and ${before} is taken already` };
      }
    }
    for (const { process, name, value } of outcome.options) {
      this.of(process).set(name, value);
    }
    return outcome;
  }
}

/** Applies to each setting the first rule whose pattern matches. */
export function applyRules(
  settings: readonly Setting[],
  rules: readonly Rule[],
  target: TargetOptions,
): MigratedLine[] {
  const split = rules.map(([pattern, answer]) => [pattern.split("."), answer] as const);
  return settings.map((setting) => {
    const expanded = expandVariables(setting.value);
    const answer = split.find(([pattern]) => isAt(pattern, setting.path))?.[1];
    const outcome: Outcome =
      answer === undefined
        ? { kind: "lacking", note: "has no counterpart" }
        : ofEnvironment(answer(expanded.value, { ...setting, value: expanded.value }), expanded);
    return { line: setting.line, place: setting.path.join("."), outcome: target.add(outcome) };
  });
}
