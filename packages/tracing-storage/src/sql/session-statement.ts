import type { KeptQuestion } from "../engine/engine.ts";
import { readerProfile } from "../engine/engine-config.ts";
import { engineError } from "../engine-error.ts";
import { quoteString } from "./statement.ts";

export interface SessionInput {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` placeholders, in ClickHouse's escaped text form. */
  readonly parameters: ReadonlyMap<string, string>;
  /** True for requests that may only read, such as GET; this sets `readonly = 2`, as in ClickHouse's server. */
  readonly readOnly: boolean;
  /** True for a read-only user, who cannot change the settings that are fixed in the profile. */
  readonly reader?: boolean;
}

const name = /^[a-z0-9_]{1,128}$/i;

function checkedName(text: string, what: string): string {
  if (!name.test(text)) {
    throw engineError("BAD_ARGUMENTS", `${what} name ${JSON.stringify(text)} is not letters, digits and _`);
  }
  return text;
}

/**
 * SQL that prepares a new connection for one request; "" if no preparation is needed.
 * @throws EngineError for a setting or parameter whose name is not a plain word
 */
export function sessionStatement(input: SessionInput): string {
  return statementOf(input, [...parameterAssignments(input), ...settingAssignments(input)]);
}

/**
 * Data for reusing connections of other queries with the same settings. These queries had parameters with the same
 * names, so all old values are replaced.
 * @param tag tag of the query, for `log_comment`
 * @returns undefined with `readonly = 1`, because the connection then accepts no further `SET`
 * @throws EngineError as `sessionStatement`
 */
export function keptQuestion(input: SessionInput, tag: string): KeptQuestion | undefined {
  if (input.settings.get("readonly") === "1") {
    return undefined;
  }
  const names = [...input.parameters.keys()].sort();
  return {
    key: JSON.stringify([statementOf(input, settingAssignments(input)), names]),
    again: `SET ${[...parameterAssignments(input), `log_comment = ${quoteString(tag)}`].join(", ")}`,
  };
}

function parameterAssignments({ parameters }: SessionInput): string[] {
  return [...parameters].map(
    ([key, value]) => `param_${checkedName(key, "parameter")} = ${quoteString(value)}`,
  );
}

function settingAssignments({ settings, readOnly }: SessionInput): string[] {
  const isRestricted = /^[12]$/.test(settings.get("readonly") ?? "");
  const assignments = [...settings]
    .filter(([key]) => key !== "readonly" || !readOnly || isRestricted)
    .map(([key, value]) => `${checkedName(key, "setting")} = ${quoteString(value)}`);
  return readOnly && !isRestricted ? [...assignments, "readonly = 2"] : assignments;
}

function statementOf({ database, reader }: SessionInput, assignments: readonly string[]): string {
  const profile = reader === true ? `SET profile = '${readerProfile}'` : "";
  const set = assignments.length === 0 ? "" : `SET ${assignments.join(", ")}`;
  const use = database === "" ? "" : `USE \`${database.replace(/[\\`]/g, "\\$&")}\``;
  return [use, profile, set].filter((sql) => sql !== "").join("; ");
}
