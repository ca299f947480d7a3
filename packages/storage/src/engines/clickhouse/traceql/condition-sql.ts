import type { BinaryOperation, Field, FieldExpression, UnaryOperation } from "traceql";
import { StorageError } from "../../../api/storage-error.ts";
import { isList } from "../../../traceql/query-value.ts";
import { constantOf } from "./constant-of.ts";
import { fieldExists, fieldIsBool, fieldTest } from "./field-sql.ts";
import { traceTest } from "./trace-test.ts";
import type { ValueTest } from "./value-test.ts";

/** A condition on rows. It accepts all wanted spans; if it is not exact, it also accepts some other spans. */
export interface Condition {
  /** Condition on a row. */
  readonly sql: string;
  /** False when accepted rows must be checked again in this process. */
  readonly isExact: boolean;
}

export const everything: Condition = { sql: "1", isExact: true };
const unknown: Condition = { sql: "1", isExact: false };

const flipped = { "=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" } as const;

/** SQL for the other spans of a trace, like `around` of `SpanSql`. */
export type TraceSpans = { readonly around: string } | undefined;

/**
 * Condition that an expression is true.
 * @param spans needed for fields of the trace
 */
export function conditionSql(expression: FieldExpression, spans: TraceSpans = undefined): Condition {
  return boolSql(expression, true, spans);
}

/** @param value the wanted value; values of other types match neither true nor false */
function boolSql(expression: FieldExpression, value: boolean, spans: TraceSpans): Condition {
  switch (expression.type) {
    case "static":
      return exact(expression.value.type === "bool" && expression.value.value === value ? "1" : "0");
    case "attribute":
    case "intrinsic":
      return known(fieldIsBool(expression, value));
    case "exists":
      return turned(existsSql(expression.operand), expression.exists === value);
    case "unary":
      return notSql(expression, value, spans);
    case "binary":
      return binarySql(expression, value, spans);
  }
}

function notSql({ operator, operand }: UnaryOperation, value: boolean, spans: TraceSpans): Condition {
  return operator === "!" ? boolSql(operand, !value, spans) : exact("0");
}

function existsSql(operand: FieldExpression): Condition {
  if (operand.type === "attribute" || operand.type === "intrinsic") {
    return known(fieldExists(operand));
  }
  const constant = constantOf(operand);
  return constant === undefined ? unknown : exact(constant[0] === undefined ? "0" : "1");
}

function binarySql(expression: BinaryOperation, value: boolean, spans: TraceSpans): Condition {
  const { operator, left, right } = expression;
  switch (operator) {
    case "&&":
      return turned(allOf([boolSql(left, true, spans), boolSql(right, true, spans)]), value);
    case "||":
      return turned(anyOf([boolSql(left, true, spans), boolSql(right, true, spans)]), value);
    case "=~":
    case "!~": {
      const pattern = right.type === "static" ? String(right.value.value) : "";
      return isField(left) ? turned(testSql(left, { operator, pattern }, spans), value) : unknown;
    }
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return turned(comparisonSql(expression, operator, spans), value);
    default:
      return exact("0");
  }
}

function comparisonSql(
  { left, right }: BinaryOperation,
  operator: keyof typeof flipped,
  spans: TraceSpans,
): Condition {
  const constants = [constantOf(left), constantOf(right)] as const;
  if (constants[0] !== undefined && constants[1] !== undefined) {
    const both = constantOf({ type: "binary", operator, left, right });
    return exact(both?.[0] === true ? "1" : "0");
  }
  if (isField(left) && constants[1] !== undefined) {
    return against(left, operator, constants[1][0], spans);
  }
  if (isField(right) && constants[0] !== undefined) {
    return against(right, flipped[operator], constants[0][0], spans);
  }
  return allOf([unknown, ...[left, right].flatMap(calculatedFrom).map((field) => known(fieldExists(field)))]);
}

/** The fields of a calculation; if one is missing, the calculation has no value. */
function calculatedFrom(expression: FieldExpression): readonly Field[] {
  if (isField(expression)) {
    return [expression];
  }
  if (expression.type === "unary" && expression.operator === "-") {
    return calculatedFrom(expression.operand);
  }
  if (expression.type !== "binary" || !/^[-+*/%^]$/.test(expression.operator)) {
    return [];
  }
  return [...calculatedFrom(expression.left), ...calculatedFrom(expression.right)];
}

function against(
  field: Field,
  operator: keyof typeof flipped,
  constant: ReturnType<typeof constantOf> extends readonly [infer Value] | undefined ? Value : never,
  spans: TraceSpans,
): Condition {
  if (constant === undefined || isList(constant)) {
    return exact("0");
  }
  const test: ValueTest = { operator, constant };
  return testSql(field, test, spans);
}

function testSql(field: Field, test: ValueTest, spans: TraceSpans): Condition {
  return (spans && traceTest(field, test, spans.around)) ?? known(fieldTest(field, test));
}

function isField(expression: FieldExpression): expression is Field {
  return expression.type === "attribute" || expression.type === "intrinsic";
}

function exact(sql: string): Condition {
  return { sql, isExact: true };
}

function known(sql: string | undefined): Condition {
  return sql === undefined ? unknown : exact(sql);
}

function turned(condition: Condition, value: boolean): Condition {
  if (value) {
    return condition;
  }
  return condition.isExact ? exact(`NOT (${condition.sql})`) : unknown;
}

export function allOf(conditions: readonly Condition[]): Condition {
  const isExact = conditions.every((condition) => condition.isExact);
  const parts = conditions.filter(({ sql }) => sql !== "1").map(({ sql }) => sql);
  if (parts.includes("0")) {
    return { sql: "0", isExact };
  }
  return {
    sql: parts.length === 0 ? "1" : parts.length === 1 ? (parts[0] ?? "1") : `(${parts.join(" AND ")})`,
    isExact,
  };
}

export function anyOf(conditions: readonly Condition[]): Condition {
  const isExact = conditions.every((condition) => condition.isExact);
  if (conditions.some(({ sql }) => sql === "1")) {
    return { sql: "1", isExact };
  }
  const parts = conditions.filter(({ sql }) => sql !== "0").map(({ sql }) => sql);
  return {
    sql: parts.length === 0 ? "0" : parts.length === 1 ? (parts[0] ?? "0") : `(${parts.join(" OR ")})`,
    isExact,
  };
}

/** SQL of an exact condition. @throws StorageError STORAGE_BAD_QUERY when the condition is not exact */
export function exactSql({ sql, isExact }: Condition): string {
  if (!isExact) {
    throw new StorageError(
      "STORAGE_BAD_QUERY",
      "the query cannot be decided span by span: calculations with fields, by(), other aggregates than of durations, ~, >>, <<, " +
        "rootName and attributes of the parent cannot be asked for here",
    );
  }
  return `(${sql})`;
}
