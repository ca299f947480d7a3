import { readerProfile } from "../engine/engine-config.ts";
import { engineError } from "../engine/engine-error.ts";
import { quoteString } from "./statement.ts";

export interface SessionInput {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` placeholders, in ClickHouse's escaped text form. */
  readonly parameters: ReadonlyMap<string, string>;
  /** True for requests that may only read (GET): sets `readonly = 2` as a server does. */
  readonly readOnly: boolean;
  /** A read-only user: what its profile pins can then not be changed. */
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
 * The SQL that prepares a fresh connection for one request, "" when there is nothing to prepare.
 * @throws EngineError when a setting's or parameter's name is not a plain word
 */
export function sessionStatement(input: SessionInput): string {
  const assignments: string[] = [];
  for (const [key, value] of input.parameters) {
    assignments.push(`param_${checkedName(key, "parameter")} = ${quoteString(value)}`);
  }
  for (const [key, value] of input.settings) {
    if (key === "readonly" && input.readOnly && !/^[12]$/.test(value)) {
      continue;
    }
    assignments.push(`${checkedName(key, "setting")} = ${quoteString(value)}`);
  }
  if (input.readOnly && !/^[12]$/.test(input.settings.get("readonly") ?? "")) {
    assignments.push("readonly = 2");
  }
  const profile = input.reader === true ? `SET profile = '${readerProfile}'` : "";
  const set = assignments.length === 0 ? "" : `SET ${assignments.join(", ")}`;
  const use = input.database === "" ? "" : `USE \`${input.database.replace(/[\\`]/g, "\\$&")}\``;
  return [use, profile, set].filter((sql) => sql !== "").join("; ");
}
