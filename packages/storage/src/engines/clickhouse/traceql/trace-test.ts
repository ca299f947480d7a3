import type { Field } from "traceql";
import type { Condition } from "./condition-sql.ts";
import { intTest, textTest, type ValueTest } from "./value-test.ts";

const isRoot = "(parent_span_id = toFixedString('', 8) OR parent_span_id = span_id)";

/**
 * Condition that a field of the trace passes a test.
 * @param around `FROM … WHERE …` for the spans of traces
 * @returns undefined for other fields
 */
export function traceTest(field: Field, test: ValueTest, around: string): Condition | undefined {
  if (field.type !== "intrinsic") {
    return undefined;
  }
  switch (field.name) {
    case "trace:duration": {
      const begin = "toUnixTimestamp64Nano(start)";
      const duration = `max(${begin} + greatest(duration, 0)) - min(${begin})`;
      const passes = intTest(test, `(${duration})`);
      const sql = `trace_id IN (SELECT trace_id ${around} GROUP BY trace_id HAVING ${passes})`;
      return { sql: passes === undefined ? "0" : sql, isExact: true };
    }
    // If a trace has several roots, the first one counts, and SQL does not know the first one.
    case "trace:rootName":
    case "trace:rootService": {
      const passes = textTest(test, field.name === "trace:rootName" ? "name" : "service");
      const sql = `trace_id IN (SELECT trace_id ${around} AND ${isRoot} AND ${passes})`;
      return passes === undefined ? { sql: "0", isExact: true } : { sql, isExact: false };
    }
    case "nestedSetParent":
      return asksForRoot(test) ? { sql: isRoot, isExact: true } : undefined;
    default:
      return undefined;
  }
}

/** True when a test on the parent's number selects roots: it is -1 for a root and at least 0 for other spans. */
function asksForRoot(test: ValueTest): boolean {
  if ("pattern" in test) {
    return false;
  }
  const { operator, constant } = test;
  if (constant === 0n) {
    return operator === "<";
  }
  return constant === -1n && (operator === "=" || operator === "<=");
}
