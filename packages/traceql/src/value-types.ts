import { intrinsicType, type ValueType } from "./intrinsics.ts";
import type { BinaryOperator, FieldExpression, ScalarExpression, Static } from "./syntax-tree.ts";

const logical: ReadonlySet<string> = new Set(["&&", "||"]);
const equality: ReadonlySet<string> = new Set(["=", "!="]);
const order: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);
const regex: ReadonlySet<string> = new Set(["=~", "!~"]);

/**
 * The type of an expression's value, if the query determines it: `duration + 1s` is a duration, `.a + 1` an int, `.a +
 * .b` an attribute.
 */
export function typeOf(expression: FieldExpression): ValueType {
  switch (expression.type) {
    case "static":
      return staticType(expression.value);
    case "attribute":
      return "attribute";
    case "intrinsic":
      return intrinsicType(expression.name);
    case "exists":
      return "bool";
    case "unary":
      return typeOf(expression.operand);
    case "binary": {
      if (!isArithmetic(expression.operator)) {
        return "bool";
      }
      const left = typeOf(expression.left);
      return left === "attribute" ? typeOf(expression.right) : left;
    }
  }
}

/** The type of a number of a spanset. */
export function scalarTypeOf(expression: ScalarExpression): ValueType {
  switch (expression.type) {
    case "static":
      return staticType(expression.value);
    case "scalar-operation": {
      const left = scalarTypeOf(expression.left);
      return left === "attribute" ? scalarTypeOf(expression.right) : left;
    }
    case "aggregate":
      return expression.operand === undefined ? "int" : typeOf(expression.operand);
  }
}

function staticType({ type }: Static): ValueType {
  return type;
}

/** True for the operators `+ - * / % ^`, whose result is a number. */
export function isArithmetic(operator: BinaryOperator): boolean {
  return !logical.has(operator) && !equality.has(operator) && !order.has(operator) && !regex.has(operator);
}

/** True for numeric types, which arithmetic accepts. */
export function isNumeric(type: ValueType): boolean {
  return type === "int" || type === "float" || type === "duration";
}

/**
 * True when the two sides of an operator may have these types. An attribute fits every type, and numeric types fit each
 * other: `duration > 5` is allowed.
 */
export function typesMatch(left: ValueType, right: ValueType): boolean {
  if (left === "attribute" || right === "attribute" || left === right) {
    return true;
  }
  return isNumeric(left) && isNumeric(right);
}

/** True when an operator accepts values of a type: `name > "a"` is allowed, `status > ok` is not. */
export function takes(operator: BinaryOperator, type: ValueType): boolean {
  switch (type) {
    case "attribute":
      return true;
    case "bool":
      return logical.has(operator) || equality.has(operator);
    case "int":
    case "float":
    case "duration":
      return equality.has(operator) || order.has(operator) || isArithmetic(operator);
    case "string":
      return equality.has(operator) || order.has(operator) || regex.has(operator);
    case "status":
    case "kind":
      return equality.has(operator);
  }
}

/** True when the value can differ from span to span. */
export function referencesSpan(expression: FieldExpression): boolean {
  switch (expression.type) {
    case "static":
      return false;
    case "attribute":
    case "intrinsic":
      return true;
    case "unary":
    case "exists":
      return referencesSpan(expression.operand);
    case "binary":
      return referencesSpan(expression.left) || referencesSpan(expression.right);
  }
}
