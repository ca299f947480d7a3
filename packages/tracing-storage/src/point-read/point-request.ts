import { type PointStatement, pointStatementOf } from "./point-statement.ts";

/** The parts of a request in addition to its statement, each of which may change the statement's meaning. */
export interface PointRequest {
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
  /** True for a read-only user, who has the limits of the process. */
  readonly reader: boolean;
}

/** A statement with the value of its parameter. */
export interface PointQuestion {
  readonly statement: PointStatement;
  readonly value: string;
}

/** Values that the engine accepts for all allowed settings. */
const number = /^(0|[1-9]\d{0,8})$/;

/**
 * @param maxQuerySeconds time limit for a read-only user; 0: no limit
 * @returns undefined when the engine must answer, because it may support the request or refuse it
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
  // A value with a backslash is escaped, and control characters must be escaped; the engine handles both.
  if (value === undefined || parameters.size > 1 || /[\\\p{Cc}]/u.test(value)) {
    return undefined;
  }
  return { statement, value };
}

function isTaken(name: string, value: string): boolean {
  // With `readonly=1`, a statement must not have settings.
  if (name === "readonly") {
    return value === "2";
  }
  if (name === "optimize_const_name_size" && value === "-1") {
    return true;
  }
  return number.test(value);
}
