import { type PointStatement, pointStatementOf } from "./point-statement.ts";

/** What a request says besides its statement, of which everything may make it another question. */
export interface PointRequest {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
  /** A read-only user, who may not have more than the process allows. */
  readonly reader: boolean;
}

/** A statement, and the value of its parameter. */
export interface PointQuestion {
  readonly statement: PointStatement;
  readonly value: string;
}

/** Values that the engine takes for all settings that may stand here. */
const number = /^(0|[1-9]\d{0,8})$/;

/**
 * @param maxQuerySeconds that a read-only user may ask for; 0: no limit
 * @returns undefined when the engine is to be asked: it may see more in the request, or refuse it
 */
export function pointQuestionOf(
  sql: string,
  { database, settings, parameters, reader }: PointRequest,
  maxQuerySeconds: number,
): PointQuestion | undefined {
  const statement = pointStatementOf(sql, settings.keys());
  if (statement === undefined || (database !== "" && database !== statement.table.database)) return undefined;
  for (const [name, value] of settings) {
    if (!isTaken(name, value)) return undefined;
  }
  const seconds = Number(settings.get("max_execution_time") ?? 1);
  if (reader && maxQuerySeconds > 0 && (seconds < 1 || seconds > maxQuerySeconds)) return undefined;
  const value = parameters.get(statement.equal.parameter);
  // A value with a backslash is an escaped one, and some must be escaped.
  if (value === undefined || parameters.size > 1 || /[\\\p{Cc}]/u.test(value)) return undefined;
  return { statement, value };
}

function isTaken(name: string, value: string): boolean {
  // With 1, the statement may not have settings of its own.
  if (name === "readonly") return value === "2";
  if (name === "optimize_const_name_size" && value === "-1") return true;
  return number.test(value);
}
