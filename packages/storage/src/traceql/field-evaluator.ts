import {
  type ArithmeticOperator,
  type ComparisonOperator,
  type Field,
  type FieldExpression,
  floatOperation,
  intOperation,
  type LinearRegex,
  linearRegex,
} from "traceql";
import { compare } from "./compare-values.ts";
import type { QueryFields } from "./query-fields.ts";
import { isList, isNumber, type QueryValue, staticValue, wordOf } from "./query-value.ts";
import type { SpanView } from "./trace-view.ts";

/** Gives the value of an expression for a span. */
export type FieldEvaluator = (span: SpanView) => QueryValue;

/** Makes an expression ready to be asked of many spans. */
export function fieldEvaluator(expression: FieldExpression, fields: QueryFields): FieldEvaluator {
  switch (expression.type) {
    case "static": {
      const value = staticValue(expression.value);
      return () => value;
    }
    case "attribute":
    case "intrinsic":
      return fieldReader(expression, fields);
    case "exists": {
      const operand = fieldEvaluator(expression.operand, fields);
      return (span) => (operand(span) !== undefined) === expression.exists;
    }
    case "unary": {
      const operand = fieldEvaluator(expression.operand, fields);
      return expression.operator === "!" ? (span) => not(operand(span)) : (span) => minus(operand(span));
    }
    case "binary":
      return binaryEvaluator(
        expression.operator,
        fieldEvaluator(expression.left, fields),
        fieldEvaluator(expression.right, fields),
        expression.right,
      );
  }
}

function binaryEvaluator(
  operator: string,
  left: FieldEvaluator,
  right: FieldEvaluator,
  rightExpression: FieldExpression,
): FieldEvaluator {
  switch (operator) {
    case "&&":
      return (span) => left(span) === true && right(span) === true;
    case "||":
      return (span) => left(span) === true || right(span) === true;
    case "=~":
    case "!~": {
      const pattern = rightExpression.type === "static" ? String(rightExpression.value.value) : "";
      const regex = linearRegex(pattern);
      return (span) => regexMatches(regex, operator === "=~", left(span));
    }
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return (span) => compare(operator satisfies ComparisonOperator, left(span), right(span));
    default:
      return (span) => calculated(operator as ArithmeticOperator, left(span), right(span));
  }
}

function regexMatches(regex: LinearRegex, wanted: boolean, value: QueryValue): boolean {
  if (typeof value === "string") return regex.matches(value) === wanted;
  if (!isList(value)) return false;
  return value.some((element) => typeof element === "string" && regex.matches(element) === wanted);
}

/** Numbers only; a division by zero has no value. */
export function calculated(operator: ArithmeticOperator, left: QueryValue, right: QueryValue): QueryValue {
  if (typeof left === "bigint" && typeof right === "bigint") return intOperation(operator, left, right);
  if (!isNumber(left) || !isNumber(right)) return undefined;
  return floatOperation(operator, Number(left), Number(right));
}

function not(value: QueryValue): QueryValue {
  return typeof value === "boolean" ? !value : undefined;
}

function minus(value: QueryValue): QueryValue {
  if (typeof value === "bigint") return BigInt.asIntN(64, -value);
  return typeof value === "number" ? -value : undefined;
}

/** The value of a field for a span. */
export function fieldReader(field: Field, fields: QueryFields): FieldEvaluator {
  if (field.type === "attribute") {
    const slot = fields.slotOf(field);
    return field.ofParent ? (span) => span.parents[0]?.facts.values[slot] : (span) => span.facts.values[slot];
  }
  switch (field.name) {
    case "span:duration":
      return ({ facts }) => facts.durationNano;
    case "span:name":
      return ({ facts }) => facts.name;
    case "span:status":
      return ({ facts }) => wordOf("status", facts.status);
    case "span:kind":
      return ({ facts }) => wordOf("kind", facts.kind);
    case "span:id":
      return ({ facts }) => facts.spanId;
    case "span:parentID":
      return ({ facts }) => facts.parentSpanId;
    case "span:childCount":
      return (span) => BigInt(span.children.length);
    case "trace:duration":
      return ({ trace }) => trace.durationNano;
    case "trace:rootName":
      return ({ trace }) => trace.root?.facts.name;
    case "trace:rootService":
      return ({ trace }) => trace.root?.facts.service;
    case "trace:id":
      return ({ trace }) => trace.traceId;
    case "nestedSetLeft":
      return (span) => BigInt(span.trace.nestedSetOf(span).left);
    case "nestedSetRight":
      return (span) => BigInt(span.trace.nestedSetOf(span).right);
    case "nestedSetParent":
      return (span) => BigInt(span.trace.nestedSetOf(span).parent);
    default: {
      const slot = fields.slotOf(field);
      return ({ facts }) => facts.values[slot];
    }
  }
}
