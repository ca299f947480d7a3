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
import { isList, isNumber, type QueryValue, type Scalar, staticValue, wordOf } from "./query-value.ts";
import { isOfEach } from "./stored-value.ts";
import type { SpanView } from "./trace-view.ts";

/** Computes the value of an expression for a span. */
export type FieldEvaluator = (span: SpanView) => QueryValue;

/**
 * Compiles a condition for evaluation on many spans. If the condition is only an attribute of events or links, it holds
 * when this attribute is true for at least one event or link. An array is neither true nor false.
 */
export function conditionEvaluator(
  condition: FieldExpression,
  fields: QueryFields,
): (span: SpanView) => boolean {
  const value = fieldEvaluator(condition, fields);
  return givesEach(condition) ? (span) => eachOf(value(span)).includes(true) : (span) => value(span) === true;
}

/** True when the value is a list with an entry for each event or link. */
function givesEach(expression: FieldExpression): boolean {
  if (expression.type === "unary") {
    return expression.operator === "!" && givesEach(expression.operand);
  }
  return (expression.type === "attribute" || expression.type === "intrinsic") && isOfEach(expression);
}

function eachOf(value: QueryValue): readonly Scalar[] {
  return isList(value) ? value : [];
}

/** Compiles an expression for evaluation on many spans. */
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
      if (expression.operator === "-") {
        return (span) => minus(operand(span));
      }
      return givesEach(expression.operand)
        ? (span) => eachOf(operand(span)).flatMap((each) => not(each) ?? [])
        : (span) => not(operand(span));
    }
    case "binary":
      return expression.operator === "&&" || expression.operator === "||"
        ? logicalEvaluator(
            expression.operator,
            conditionEvaluator(expression.left, fields),
            conditionEvaluator(expression.right, fields),
          )
        : binaryEvaluator(
            expression.operator,
            fieldEvaluator(expression.left, fields),
            fieldEvaluator(expression.right, fields),
            expression.right,
          );
  }
}

function logicalEvaluator(
  operator: "&&" | "||",
  left: (span: SpanView) => boolean,
  right: (span: SpanView) => boolean,
): FieldEvaluator {
  return operator === "&&" ? (span) => left(span) && right(span) : (span) => left(span) || right(span);
}

function binaryEvaluator(
  operator: string,
  left: FieldEvaluator,
  right: FieldEvaluator,
  rightExpression: FieldExpression,
): FieldEvaluator {
  switch (operator) {
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
  if (typeof value === "string") {
    return regex.matches(value) === wanted;
  }
  if (!isList(value)) {
    return false;
  }
  return value.some((element) => typeof element === "string" && regex.matches(element) === wanted);
}

/** Calculates with numbers only. A division by zero has no value. */
export function calculated(operator: ArithmeticOperator, left: QueryValue, right: QueryValue): QueryValue {
  if (typeof left === "bigint" && typeof right === "bigint") {
    return intOperation(operator, left, right);
  }
  if (!isNumber(left) || !isNumber(right)) {
    return undefined;
  }
  return floatOperation(operator, Number(left), Number(right));
}

function not(value: QueryValue): boolean | undefined {
  return typeof value === "boolean" ? !value : undefined;
}

function minus(value: QueryValue): QueryValue {
  if (typeof value === "bigint") {
    return BigInt.asIntN(64, -value);
  }
  return typeof value === "number" ? -value : undefined;
}

/** Makes a function that reads a field from a span. */
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
