import { binding, comparisonBinding, powerBinding } from "./binding.ts";
import { printDuration } from "./durations.ts";
import { intrinsicText } from "./intrinsics.ts";
import { isPlainName } from "./lexer.ts";
import type { Field, FieldExpression, Static } from "./syntax-tree.ts";

const minInt = -(2n ** 63n);

/** Tempo's text of a field in labels and answers: `.a`, `span.a`, `resource."a b"`, `duration`. */
export function printField(field: Field): string {
  if (field.type === "intrinsic") {
    return intrinsicText(field.name);
  }
  const { scope, name, ofParent } = field;
  const parts = [...(ofParent ? ["parent"] : []), ...(scope === "any" ? [] : [scope])];
  const isPlain = isPlainName(name) && !(ofParent && scope === "any" && /^(span|resource)\./.test(name));
  const printed = isPlain ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
  return `${parts.join(".")}.${printed}`;
}

/**
 * Text of an expression. It has parentheses only if the tree would otherwise change, and around every minus and `!`
 * inside an operation.
 */
export function printFieldExpression(expression: FieldExpression): string {
  switch (expression.type) {
    case "static":
      return printStatic(expression.value);
    case "attribute":
    case "intrinsic":
      return printField(expression);
    case "unary":
      return expression.operator + printOperand(expression.operand, Number.POSITIVE_INFINITY);
    case "exists":
      return `${printOperand(expression.operand, comparisonBinding)} ${expression.exists ? "!=" : "="} nil`;
    case "binary": {
      const { operator, left, right } = expression;
      const own = binding[operator] ?? 0;
      const isPower = own === powerBinding;
      return `${printOperand(left, isPower ? own + 1 : own)} ${operator} ${printOperand(right, isPower ? own : own + 1)}`;
    }
  }
}

/** @param min lowest precedence that needs no parentheses */
function printOperand(expression: FieldExpression, min: number): string {
  const text = printFieldExpression(expression);
  const own = bindingOf(expression);
  return own < min || text.startsWith("-") ? `(${text})` : text;
}

/**
 * Precedence of an expression's outermost operator. A unary operator counts as the weakest operator, so it has
 * parentheses inside operations; fields and values never have parentheses.
 */
function bindingOf(expression: FieldExpression): number {
  switch (expression.type) {
    case "binary":
      return binding[expression.operator] ?? 0;
    case "exists":
      return comparisonBinding;
    case "unary":
      return 0;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** Text of a value. The lexer reads a value of the same type from it: `1.0` is a float, and `48h` is two days. */
export function printStatic(value: Static): string {
  switch (value.type) {
    case "string":
      return printText(value.value);
    case "int":
      return value.value === minInt ? "minInt" : String(value.value);
    case "float":
      return printFloat(value.value);
    case "duration":
      return printDuration(value.value);
    default:
      return String(value.value);
  }
}

/** Quotes a string with backquotes as in Tempo, or with double quotes if the string contains a backquote. */
function printText(text: string): string {
  if (!text.includes("`") && !text.includes("\r")) {
    return `\`${text}\``;
  }
  const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\" };
  return `"${text.replace(/[\n\r"\\]/g, (character) => escapes[character] ?? character)}"`;
}

/** Text of a float, which always has a dot or an exponent: `5` is printed as `5.0`, because `5` would be an int. */
export function printFloat(value: number): string {
  if (Object.is(value, -0)) {
    return "-0.0";
  }
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
