import type { ComparisonOperator } from "traceql";
import { isList, isNumber, type QueryValue, type Scalar } from "./query-value.ts";

const flipped: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "=": "=",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/**
 * Compares as Tempo does. Values of different types, and missing values, are neither equal nor unequal. If a side has
 * several values, one of them must satisfy the comparison, even with `!=`.
 */
export function compare(operator: ComparisonOperator, left: QueryValue, right: QueryValue): boolean {
  if (left === undefined || right === undefined) {
    return false;
  }
  if (isList(left)) {
    return !isList(right) && ofElements(operator, left, right);
  }
  if (isList(right)) {
    return ofElements(flipped[operator], right, left);
  }
  return compareScalars(operator, left, right);
}

function ofElements(operator: ComparisonOperator, elements: readonly Scalar[], other: Scalar): boolean {
  return elements.some((element) => compareScalars(operator, element, other));
}

function compareScalars(operator: ComparisonOperator, left: Scalar, right: Scalar): boolean {
  if (isNumber(left) && isNumber(right)) {
    // If one number is an int and the other number is a double, both are compared as doubles, as in Tempo and in the
    // store's SQL.
    return typeof left === typeof right
      ? ordered(operator, left, right)
      : ordered(operator, Number(left), Number(right));
  }
  if (typeof left === "string" && typeof right === "string") {
    return ordered(
      operator,
      operator === "=" || operator === "!=" ? cmp(left, right) : bytesOrder(left, right),
      0,
    );
  }
  if (typeof left !== typeof right) {
    return false;
  }
  if (typeof left === "object" && typeof right === "object") {
    if (left.kind === "opaque" || left.kind !== right.kind) {
      return false;
    }
  }
  if (operator === "=") {
    return left === right;
  }
  return operator === "!=" && left !== right;
}

function ordered<T extends bigint | number>(operator: ComparisonOperator, left: T, right: T): boolean {
  switch (operator) {
    case "=":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}

function cmp(left: string, right: string): number {
  return left === right ? 0 : 1;
}

/** Order of texts by UTF-8 bytes, as in Go and ClickHouse. JavaScript compares UTF-16 units. */
function bytesOrder(left: string, right: string): number {
  if (left === right) {
    return 0;
  }
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
