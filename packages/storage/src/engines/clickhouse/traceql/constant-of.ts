import type { FieldExpression } from "traceql";
import { compare } from "../../../traceql/compare-values.ts";
import { calculated } from "../../../traceql/field-evaluator.ts";
import { type QueryValue, staticValue } from "../../../traceql/query-value.ts";

/**
 * The value of an expression that is equal for every span, as a list with one element. For other expressions the result
 * is undefined.
 */
export function constantOf(expression: FieldExpression): readonly [QueryValue] | undefined {
  if (expression.type === "static") {
    return [staticValue(expression.value)];
  }
  if (expression.type !== "binary") {
    return undefined;
  }
  const left = constantOf(expression.left);
  const right = constantOf(expression.right);
  if (left === undefined || right === undefined) {
    return undefined;
  }
  switch (expression.operator) {
    case "&&":
    case "||":
    case "=~":
    case "!~":
      return undefined;
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return [compare(expression.operator, left[0], right[0])];
    default:
      return [calculated(expression.operator, left[0], right[0])];
  }
}
