import type { Outcome, TargetOption, Value } from "./migration.ts";

/**
 * Syntax of variables: `${env:NAME:-default}` of Jaeger and the OpenTelemetry Collector, `${NAME:default}` of Tempo.
 */
const variable = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-?([^}]*))?\}/g;

/** A value in which defaults have replaced variables. */
export interface ExpandedValue {
  readonly value: Value;
  /** Names of the variables that were replaced by defaults. */
  readonly defaulted: readonly string[];
  /** Names of the variables without a default: their values are not known before the process runs. */
  readonly unknown: readonly string[];
}

export function expandVariables(value: Value): ExpandedValue {
  const defaulted: string[] = [];
  const unknown: string[] = [];
  const expand = (item: Value): Value => {
    if (typeof item !== "string") {
      return item;
    }
    const text = item.replaceAll(variable, (whole, name: string, fallback: string | undefined) => {
      (fallback === undefined ? unknown : defaulted).push(name);
      return fallback ?? whole;
    });
    return text === item ? item : typed(text);
  };
  return {
    value: Array.isArray(value) ? (value.map(expand) as Value) : expand(value),
    defaulted,
    unknown,
  };
}

/** Parses `true`, `false` and decimal numbers as YAML does; other texts stay texts. */
function typed(text: string): Value {
  return text === "true"
    ? true
    : text === "false"
      ? false
      : /^-?\d+(\.\d+)?$/.test(text)
        ? Number(text)
        : text;
}

/** Name of the environment variable that sets an option. */
export function environmentName(optionName: string): string {
  return optionName.toUpperCase().replaceAll(/[.-]/g, "_");
}

/**
 * Changes the outcome of a setting that contains variables. Without a default it becomes `lacking`, and its note names
 * the environment variable to set. With a default, the note names the variable that is not read.
 */
export function ofEnvironment(outcome: Outcome, { defaulted, unknown }: ExpandedValue): Outcome {
  if (outcome.kind !== "written") {
    return outcome;
  }
  if (unknown.length > 0) {
    const names = [...new Set(outcome.options.map(({ name }: TargetOption) => environmentName(name)))];
    const text = `its value is the variable ${unknown.join(", ")}: start the process with ${names.join(" and ")} set from it`;
    return { kind: "lacking", note: text };
  }
  const note = `the default of the variable ${defaulted.join(", ")}, which is not read`;
  return defaulted.length === 0
    ? outcome
    : { ...outcome, note: outcome.note === undefined ? note : `${outcome.note}; ${note}` };
}
