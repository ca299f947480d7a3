// Parses expressions for one span, which are between `{` and `}`, or are arguments of aggregates and of `by()`.
//
//     expression = operand { operator operand }            by precedence, see binding.ts
//     operand    = "(" expression ")" | "-" expression | "!" expression
//                | "nil" ("=" | "!=") expression | value | field
//     value      = string | int | float | duration | "true" | "false" | status | kind | "minInt" | "maxInt"
//     field      = attribute | intrinsic
//
// `{ .http.status_code >= 500 && span.retry != nil }` becomes a binary `&&`, whose operands are a binary `>=` and an
// `exists`. Types are checked while the tree is built, so an error points at the smallest faulty part.

import { binding, comparisonBinding, minusBinding, notBinding, powerBinding } from "./binding.ts";
import { intrinsicOf, isRepeated } from "./intrinsics.ts";
import { traceQlLimits } from "./limits.ts";
import { linearRegex } from "./linear-regex.ts";
import { printField, printFieldExpression } from "./print-fields.ts";
import type {
  BinaryOperation,
  BinaryOperator,
  ExistsOperation,
  Field,
  FieldExpression,
  Static,
  StaticExpression,
} from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";
import { isNumeric, takes, typeOf, typesMatch } from "./value-types.ts";
import { wholeId } from "./whole-ids.ts";

const minInt = -(2n ** 63n);

/** Reserved words that are values. An attribute named `ok` must be written `.ok`. */
const words: ReadonlyMap<string, Static> = new Map<string, Static>([
  ["true", { type: "bool", value: true }],
  ["false", { type: "bool", value: false }],
  ...(["ok", "error", "unset"] as const).map((value) => [value, { type: "status", value }] as const),
  ...(["unspecified", "internal", "server", "client", "producer", "consumer"] as const).map(
    (value) => [value, { type: "kind", value }] as const,
  ),
  ["minInt", { type: "int", value: minInt }],
  ["maxInt", { type: "int", value: -minInt - 1n }],
]);

/**
 * Parses an expression for a span, and checks its types. This is precedence climbing: the loop accepts an operator if
 * its precedence is at least `minBinding`.
 * @param minBinding lowest precedence of an operator that belongs to the expression
 * @throws TraceQlError
 */
export function readFieldExpression(tokens: TokenReader, minBinding = 1): FieldExpression {
  let left = tokens.within(() => readOperand(tokens, minBinding > comparisonBinding));
  for (;;) {
    const operator = binaryOperatorNext(tokens);
    const strength = operator === undefined ? 0 : (binding[operator] ?? 0);
    if (operator === undefined || strength < minBinding) {
      return left;
    }
    tokens.take();
    if (tokens.isWord("nil") && (operator === "=" || operator === "!=")) {
      tokens.take();
      left = exists(tokens, left, operator, tokens.offsetOf(left));
      continue;
    }
    const rightBinding = strength === powerBinding ? strength : strength + 1;
    const right = tokens.within(() => readFieldExpression(tokens, rightBinding));
    left = binary(tokens, operator, left, right);
  }
}

/**
 * A field alone, as an argument of `select()`, of a metrics function or of its `by()`.
 * @throws TraceQlError for any other expression, including a plain value
 */
export function readField(tokens: TokenReader): Field {
  const field = fieldNext(tokens);
  if (field === undefined) {
    throw tokens.unexpected("an attribute", "an intrinsic");
  }
  return field;
}

/**
 * A literal value, for example the value of a hint.
 * @throws TraceQlError for any other expression
 */
export function readStatic(tokens: TokenReader): StaticExpression {
  const value = staticNext(tokens);
  if (value === undefined) {
    throw tokens.unexpected("a value");
  }
  return value;
}

/** @param isCompared true after an operator, where users often forget the quotes around a text */
function readOperand(tokens: TokenReader, isCompared: boolean): FieldExpression {
  const { offset } = tokens;
  if (tokens.accept("(")) {
    const inner = readFieldExpression(tokens);
    tokens.expect(")");
    return tokens.placed(inner, offset);
  }
  if (tokens.accept("-")) {
    return minus(tokens, readFieldExpression(tokens, minusBinding), offset);
  }
  if (tokens.accept("!")) {
    const operand = readFieldExpression(tokens, notBinding);
    const node = tokens.placed({ type: "unary", operator: "!", operand } as const, offset);
    const type = typeOf(operand);
    if (type !== "bool" && type !== "attribute") {
      throw illegal(tokens, node);
    }
    return node;
  }
  if (tokens.isWord("nil")) {
    return readNil(tokens);
  }
  const operand = staticNext(tokens) ?? fieldNext(tokens);
  if (operand !== undefined) {
    return operand;
  }
  if (tokens.next.kind === "word") {
    const { text } = tokens.next;
    throw tokens.errorAt(
      tokens.placed({}, tokens.offset),
      `unknown identifier: ${text}${isCompared ? `; a text stands in quotes: "${text}"` : ""}`,
    );
  }
  throw tokens.unexpected();
}

/** A minus before a number becomes a negative number: `-5` is a value, but `-.a` is an operation. */
function minus(tokens: TokenReader, operand: FieldExpression, offset: number): FieldExpression {
  if (operand.type === "static" && isNumeric(typeOf(operand))) {
    return tokens.placed({ type: "static", value: negated(operand.value) }, offset);
  }
  const node = tokens.placed({ type: "unary", operator: "-", operand } as const, offset);
  const type = typeOf(operand);
  if (!isNumeric(type) && type !== "attribute") {
    throw illegal(tokens, node);
  }
  return node;
}

/**
 * Returns the value with the opposite sign. Ints and durations wrap around at 64 bits, as in Go: `-minInt` is `minInt`.
 */
export function negated(value: Static): Static {
  switch (value.type) {
    case "int":
    case "duration":
      return { type: value.type, value: BigInt.asIntN(64, -value.value) };
    case "float":
      return { type: "float", value: -value.value };
    default:
      return value;
  }
}

/**
 * Parses `nil = x` and `nil != x`, which have the same meaning as `x = nil` and `x != nil`. `nil = nil` and `nil !=
 * nil` are both `false`, as in Tempo.
 */
function readNil(tokens: TokenReader): FieldExpression {
  const { offset } = tokens;
  tokens.take();
  const operator = binaryOperatorNext(tokens);
  if (operator !== "=" && operator !== "!=") {
    throw tokens.unexpected("=", "!=");
  }
  tokens.take();
  if (tokens.isWord("nil")) {
    tokens.take();
    return tokens.placed({ type: "static", value: { type: "bool", value: false } }, offset);
  }
  return exists(tokens, readFieldExpression(tokens, 3), operator, offset);
}

/**
 * `x != nil`: the span has `x`. `x = nil` is refused for fields of every span: intrinsics (except the intrinsics of
 * events and links) and `resource.service.name`. The parent may be missing, so `parent.resource.service.name = nil` is
 * allowed.
 */
function exists(
  tokens: TokenReader,
  operand: FieldExpression,
  operator: "=" | "!=",
  offset: number,
): ExistsOperation {
  const node = tokens.placed({ type: "exists", operand, exists: operator === "!=" } as const, offset);
  if (!node.exists) {
    if (operand.type === "intrinsic" && !isRepeated(operand.name)) {
      throw tokens.errorAt(node, `${printField(operand)}=nil is not valid because intrinsics cannot be nil`);
    }
    if (operand.type === "attribute" && operand.scope === "resource" && operand.name === "service.name") {
      if (!operand.ofParent) {
        throw tokens.errorAt(
          node,
          "resource.service.name=nil is not valid because resource.service.name cannot be nil",
        );
      }
    }
  }
  return node;
}

/**
 * Builds an operation of two checked operands. If a short id is compared with an id field, it is completed: in
 * `trace:id = "1F"`, the text becomes 32 lower-case digits.
 * @throws TraceQlError for operands of different types, and for an operator that does not accept their type
 */
function binary(
  tokens: TokenReader,
  operator: BinaryOperator,
  left: FieldExpression,
  right: FieldExpression,
): BinaryOperation {
  const node = tokens.placed({ type: "binary", operator, left, right } as const, tokens.offsetOf(left));
  const [leftType, rightType] = [typeOf(left), typeOf(right)];
  if (!typesMatch(leftType, rightType)) {
    throw tokens.errorAt(node, `binary operations must operate on the same type: ${shown(node)}`);
  }
  if (!takes(operator, leftType) || !takes(operator, rightType)) {
    throw tokens.errorAt(node, `illegal operation for the given types: ${shown(node)}`);
  }
  if (operator === "=~" || operator === "!~") {
    checkRegex(tokens, right);
    return node;
  }
  const [leftId, rightId] = [wholeId(right, left), wholeId(left, right)];
  if (leftId === undefined && rightId === undefined) {
    return node;
  }
  return tokens.placed({ ...node, left: leftId ?? left, right: rightId ?? right }, tokens.offsetOf(left));
}

/**
 * Compiles the pattern once, to find faults in it. The pattern must be a literal; `.a =~ .b` is refused, because its
 * pattern is an attribute.
 */
function checkRegex(tokens: TokenReader, right: FieldExpression): void {
  if (right.type !== "static" || right.value.type !== "string") {
    throw tokens.errorAt(right, `invalid type for =~ or !~: ${shown(right)}`);
  }
  if (right.value.value.length > traceQlLimits.regexLength) {
    throw tokens.errorAt(
      right,
      `the regex of ${right.value.value.length} characters is over the limit of ${traceQlLimits.regexLength}`,
    );
  }
  try {
    linearRegex(right.value.value);
  } catch {
    throw tokens.errorAt(right, `invalid regex: ${shown(right)}`);
  }
}

function illegal(tokens: TokenReader, node: FieldExpression) {
  return tokens.errorAt(node, `illegal operation for the given type: ${shown(node)}`);
}

/** The text of an expression for a message, cut after 200 characters. */
export function shown(expression: FieldExpression): string {
  const text = printFieldExpression(expression);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function binaryOperatorNext(tokens: TokenReader): BinaryOperator | undefined {
  const { kind, text } = tokens.next;
  return kind === "symbol" && Object.hasOwn(binding, text) ? (text as BinaryOperator) : undefined;
}

/** Takes the next token if it is a value. */
function staticNext(tokens: TokenReader): StaticExpression | undefined {
  const token = tokens.next;
  const value = token.kind === "word" ? words.get(token.text) : literalValue(tokens);
  if (value === undefined) {
    return undefined;
  }
  tokens.take();
  return tokens.placed({ type: "static", value } as const, token.offset);
}

function literalValue({ next }: TokenReader): Static | undefined {
  switch (next.kind) {
    case "string":
      return { type: "string", value: next.value };
    case "int":
    case "duration":
      return { type: next.kind, value: next.value };
    case "float":
      return { type: "float", value: next.value };
    default:
      return undefined;
  }
}

/**
 * Takes a field if the next token is the start of a field.
 * @throws TraceQlError for `parent` alone, and for `span:x` when `x` is not an intrinsic
 */
function fieldNext(tokens: TokenReader): Field | undefined {
  const token = tokens.next;
  if (token.kind === "attribute") {
    tokens.take();
    return tokens.placed({ ...token.field }, token.offset);
  }
  if (token.kind !== "word" && token.kind !== "intrinsic") {
    return undefined;
  }
  const name = intrinsicOf(token.text);
  if (name !== undefined) {
    tokens.take();
    return tokens.placed({ type: "intrinsic", name } as const, token.offset);
  }
  if (token.text === "parent") {
    throw tokens.errorAt(tokens.placed({}, token.offset), "intrinsic (parent) not yet supported");
  }
  if (token.kind === "intrinsic") {
    throw tokens.unexpected("an intrinsic");
  }
  return undefined;
}
