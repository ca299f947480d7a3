import type { ComparisonOperator } from "traceql";
import type { AttributeType } from "wire/model";
import { isNumber, type Scalar } from "../../../traceql/query-value.ts";
import { floatLiteral, intLiteral, textLiteral } from "../sql-text.ts";

/** The operator and the operand of a comparison with a field. */
export type ValueTest =
  | { readonly operator: ComparisonOperator; readonly constant: Scalar }
  | { readonly operator: "=~" | "!~"; readonly pattern: string };

/** SQL for a test of a text. Undefined: the test is never true. */
export function textTest(test: ValueTest, text: string): string | undefined {
  if ("pattern" in test) {
    // As in Go, the whole text must match, and a dot matches any character.
    const matches = `match(${text}, ${textLiteral(`\\A(?s:${test.pattern})\\z`)})`;
    return test.operator === "=~" ? matches : `NOT ${matches}`;
  }
  return typeof test.constant === "string"
    ? `${text} ${test.operator} ${textLiteral(test.constant)}`
    : undefined;
}

/** SQL for a test of an Int64. Undefined: the test is never true. */
export function intTest(test: ValueTest, int: string): string | undefined {
  if ("pattern" in test) {
    return undefined;
  }
  const { operator, constant } = test;
  if (typeof constant === "bigint") {
    return `${int} ${operator} ${intLiteral(constant)}`;
  }
  return typeof constant === "number"
    ? `toFloat64(${int}) ${operator} ${floatTestLiteral(constant)}`
    : undefined;
}

/** SQL for a test of a Float64. Undefined: the test is never true. */
export function floatTest(test: ValueTest, float: string): string | undefined {
  if ("pattern" in test || !isNumber(test.constant)) {
    return undefined;
  }
  return `${float} ${test.operator} ${floatTestLiteral(Number(test.constant))}`;
}

/** SQL for a test of a bool. Undefined: the test is never true. */
export function boolTest(test: ValueTest, bool: string): string | undefined {
  if ("pattern" in test || typeof test.constant !== "boolean") {
    return undefined;
  }
  if (test.operator !== "=" && test.operator !== "!=") {
    return undefined;
  }
  return (test.operator === "=") === test.constant ? bool : `NOT (${bool})`;
}

/**
 * SQL for a test of an attribute's value. An array passes when one of its elements passes.
 * @param isOf returns the condition that the value has a type
 * @param text SQL expression for the stored text
 */
export function attributeTest(test: ValueTest, isOf: (type: AttributeType) => string, text: string): string {
  const byType = (
    [
      ["string", textTest(test, text)],
      ["int", intTest(test, `toInt64OrZero(${text})`)],
      ["double", floatTest(test, `toFloat64OrZero(${text})`)],
      ["bool", boolTest(test, `${text} = 'true'`)],
    ] as const
  ).flatMap(([type, passes]) => (passes === undefined ? [] : [`(${isOf(type)} AND ${passes})`]));
  const elements = arrayTest(test, text);
  return `(${[...byType, `(${isOf("array")} AND ${elements})`].join(" OR ")})`;
}

/** SQL for the test on the elements of an array, which is stored as JSON. */
function arrayTest(test: ValueTest, json: string): string {
  const element = `${json}, element`;
  const byType = [
    ["String", textTest(test, `JSONExtractString(${element})`)],
    ["Int64", intTest(test, `JSONExtractInt(${element})`)],
    ["Double", floatTest(test, `JSONExtractFloat(${element})`)],
    ["Bool", boolTest(test, `JSONExtractBool(${element})`)],
  ].flatMap(([name, passes]) =>
    passes === undefined ? [] : [`(toString(JSONType(${element})) = '${name}' AND ${passes})`],
  );
  return `arrayExists(element -> ${byType.length === 0 ? "0" : byType.join(" OR ")}, range(1, JSONLength(${json}) + 1))`;
}

function floatTestLiteral(value: number): string {
  return Number.isFinite(value)
    ? floatLiteral(value)
    : Number.isNaN(value)
      ? "nan"
      : value > 0
        ? "inf"
        : "-inf";
}
