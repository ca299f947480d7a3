import { type PointStatement, pointStatementOf } from "./point-statement.ts";

/** The facts of a request besides its statement; any of them may change the meaning. */
export interface PointRequest {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
  /** A read-only user, whose limits are the process's. */
  readonly reader: boolean;
}

/** A statement, and the value of its parameter. */
export interface PointQuestion {
  readonly statement: PointStatement;
  readonly value: string;
}

/** Values that the engine accepts for all settings that are allowed here. */
const number = /^(0|[1-9]\d{0,8})$/;

/**
 * @param maxQuerySeconds limit of a read-only user; 0: none
 * @returns undefined when the engine must answer: it may understand more of the request, or refuse it
 */
export function pointQuestionOf(
  sql: string,
  { database, settings, parameters, reader }: PointRequest,
  maxQuerySeconds: number,
): PointQuestion | undefined {
  const statement = pointStatementOf(sql, settings.keys());
  if (statement === undefined || (database !== "" && database !== statement.table.database)) {
    return undefined;
  }
  for (const [name, value] of settings) {
    if (!isTaken(name, value)) {
      return undefined;
    }
  }
  const seconds = Number(settings.get("max_execution_time") ?? 1);
  if (reader && maxQuerySeconds > 0 && (seconds < 1 || seconds > maxQuerySeconds)) {
    return undefined;
  }
  const value = parameters.get(statement.equal.parameter);
  // A value with a backslash is an escaped one, and some must be escaped.
  if (value === undefined || parameters.size > 1 || /[\\\p{Cc}]/u.test(value)) {
    return undefined;
  }
  return { statement, value };
}

function isTaken(name: string, value: string): boolean {
  // With 1, the statement may not have settings of its own.
  if (name === "readonly") {
    return value === "2";
  }
  if (name === "optimize_const_name_size" && value === "-1") {
    return true;
  }
  return number.test(value);
}
