// Parses stages, and operators between spansets, numbers and metrics:
//
//     pipeline   = expression { "|" stage } [ "|" metrics ]
//     expression = operand { operator operand }
//     operand    = "{" condition "}" | "(" pipeline ")" | "-" number | number | aggregate
//                | "by" "(" … ")" | "select" "(" … ")" | "coalesce" "(" ")"
//
// The kind of the left operand determines the operators that may follow, so one function reads all of them:
//
// | text | result |
// |---|---|
// | `{ .a } >> { .b }` | spanset: spans with `.b` that descend from a span with `.a` |
// | `count() > 2` | filter of spansets |
// | `max(duration) / 2` | scalar, which a comparison must follow |
// | `({ } | rate()) / ({ } | rate())` | metrics |

import { comparisonBinding, powerBinding } from "./binding.ts";
import { readComparison } from "./comparison-parser.ts";
import { negated } from "./field-parser.ts";
import { foldedScalar } from "./fold-scalar.ts";
import { isMetricsFunction, readMetricsAggregate } from "./metrics-parser.ts";
import { printScalar } from "./print-traceql.ts";
import { readSecondStages } from "./second-stage-parser.ts";
import { readAggregate, readFilter, readGroup, readSelect } from "./stage-parser.ts";
import {
  type ArithmeticOperator,
  type CoalesceStage,
  type ComparisonOperator,
  type GroupStage,
  type MetricsExpression,
  type MetricsMath,
  type MetricsOperand,
  type ScalarExpression,
  type ScalarFilter,
  type SecondStage,
  type SelectStage,
  type SpansetExpression,
  type SpansetOperator,
  type Stage,
  spansetOperators,
} from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";
import { scalarTypeOf, takes, typesMatch } from "./value-types.ts";

/**
 * An element of a query; operators combine elements.
 *
 * - `spanset`: `{ … }`, two spansets with an operator between them, or a pipeline in parentheses
 * - `scalar`: a number or an aggregate, which becomes a stage only with a comparison
 * - `filter`: two scalars with a comparison
 * - `stage`: `by()`, `select()` or `coalesce()`, after which no operator is allowed
 * - `metrics`: a pipeline that ends with a metrics function; it needs parentheses if an operator follows
 */
export type Operand =
  | { readonly kind: "spanset"; readonly node: SpansetExpression }
  | { readonly kind: "scalar"; readonly node: ScalarExpression }
  | { readonly kind: "filter"; readonly node: ScalarFilter }
  | { readonly kind: "stage"; readonly node: GroupStage | SelectStage | CoalesceStage }
  | { readonly kind: "metrics"; readonly node: MetricsExpression };

const structural: ReadonlySet<string> = new Set(spansetOperators);
const comparisons: ReadonlySet<string> = new Set(["=", "!=", "<", "<=", ">", ">="]);
const arithmetic: Readonly<Record<string, number>> = { "+": 3, "-": 3, "*": 5, "/": 5, "%": 5, "^": 6 };
const aggregates: ReadonlySet<string> = new Set(["count", "min", "max", "avg", "sum"]);

/**
 * Stages separated by `|`; the result is a pipeline, or a metrics expression if a stage is a metrics function.
 * @returns the operand itself if it is the only stage
 * @throws TraceQlError
 */
export function readPipeline(tokens: TokenReader): Operand {
  const { offset } = tokens;
  if (tokens.next.kind === "word" && isMetricsFunction(tokens.next.text)) {
    throw tokens.unexpected("{");
  }
  const first = readExpression(tokens);
  if (first.kind === "metrics") {
    return withSecondStages(tokens, first, readSecondStages(tokens));
  }
  if (!tokens.isSymbol("|")) {
    return first;
  }
  const stages: Stage[] = [stageOf(tokens, first)];
  if (first.kind === "stage" && first.node.type === "coalesce") {
    throw tokens.errorAt(first.node, "syntax error: unexpected coalesce, a pipeline cannot begin with it");
  }
  while (tokens.accept("|")) {
    if (tokens.next.kind === "word" && isMetricsFunction(tokens.next.text)) {
      const pipeline = tokens.placed({ type: "pipeline", stages } as const, offset);
      if (tokens.isWord("compare")) {
        const operand = { kind: "metrics", node: readComparison(tokens, pipeline, offset) } as const;
        return withSecondStages(tokens, operand, readSecondStages(tokens));
      }
      const aggregate = readMetricsAggregate(tokens);
      const secondStages = readSecondStages(tokens);
      return {
        kind: "metrics",
        node: tokens.placed({ type: "metrics-pipeline", pipeline, aggregate, secondStages }, offset),
      };
    }
    stages.push(stageOf(tokens, readExpression(tokens)));
  }
  return { kind: "spanset", node: tokens.placed({ type: "pipeline", stages }, offset) };
}

/** @throws TraceQlError for an element that is not a stage */
export function stageOf(tokens: TokenReader, operand: Operand): Stage {
  switch (operand.kind) {
    case "spanset":
    case "filter":
    case "stage":
      return operand.node;
    case "metrics":
      throw tokens.errorAt(operand.node, "a metrics expression cannot stand in a pipeline");
    case "scalar":
      throw tokens.errorAt(
        operand.node,
        `syntax error: ${printScalar(operand.node)} must be compared with a number`,
      );
  }
}

/** Operands with operators between them; as in expressions of fields, this is precedence climbing. */
function readExpression(tokens: TokenReader, minBinding = 1): Operand {
  let left = tokens.within(() => readOperand(tokens));
  for (;;) {
    const operator = tokens.next.kind === "symbol" ? tokens.next.text : "";
    const strength = bindingBehind(left, operator);
    if (strength === 0 || strength < minBinding) {
      return left;
    }
    if (left.kind === "metrics" && comparisons.has(operator)) {
      left = withSecondStages(tokens, left, readSecondStages(tokens));
      continue;
    }
    tokens.take();
    const right = tokens.within(() =>
      readExpression(tokens, strength === powerBinding ? strength : strength + 1),
    );
    left = combined(tokens, operator, left, right);
  }
}

/** Precedence of an operator after this kind of operand; 0 for an operator that is not allowed there. */
function bindingBehind(left: Operand, operator: string): number {
  if (left.kind === "spanset" && structural.has(operator)) {
    return operator === "&&" || operator === "||" ? 1 : comparisonBinding;
  }
  if (left.kind === "scalar" || left.kind === "metrics") {
    if (comparisons.has(operator)) {
      return comparisonBinding;
    }
    return Object.hasOwn(arithmetic, operator) ? (arithmetic[operator] ?? 0) : 0;
  }
  return 0;
}

/** Joins two operands by an operator. Allowed are two spansets, two scalars, two metrics, and metrics with a number. */
function combined(tokens: TokenReader, operator: string, left: Operand, right: Operand): Operand {
  const offset = tokens.offsetOf(left.node);
  if (left.kind === "spanset" && right.kind === "spanset") {
    const node = {
      type: "spanset-operation",
      operator: operator as SpansetOperator,
      left: left.node,
      right: right.node,
    } as const;
    return { kind: "spanset", node: tokens.placed(node, offset) };
  }
  if (left.kind === "scalar" && right.kind === "scalar") {
    return comparisons.has(operator)
      ? scalarFilter(tokens, operator as ComparisonOperator, left.node, right.node)
      : scalarOperation(tokens, operator as ArithmeticOperator, left.node, right.node);
  }
  if ((left.kind === "metrics" || right.kind === "metrics") && /^[-+*/]$/.test(operator)) {
    const node: MetricsMath = {
      type: "metrics-math",
      operator: operator as MetricsMath["operator"],
      left: metricsSide(tokens, left),
      right: metricsSide(tokens, right),
      secondStages: [],
    };
    return { kind: "metrics", node: tokens.placed(node, offset) };
  }
  throw tokens.errorAt(right.node, `syntax error: unexpected operand of ${operator}`);
}

/** A side of arithmetic with series: series, or a plain number. @throws TraceQlError */
function metricsSide(tokens: TokenReader, side: Operand): MetricsOperand {
  if (side.kind === "metrics") {
    if (side.node.type === "metrics-comparison") {
      throw notAlone(tokens, side.node);
    }
    return side.node;
  }
  if (side.kind === "scalar" && side.node.type === "static") {
    const { type } = side.node.value;
    if (type === "int" || type === "float") {
      return side.node;
    }
    throw tokens.errorAt(side.node, `${type} cannot be used in metrics arithmetic`);
  }
  throw tokens.errorAt(side.node, "metrics arithmetic takes metrics in parentheses, and numbers");
}

/**
 * Arithmetic of two numbers of a spanset; two numbers in the text are replaced by their result: `2 * 3` is stored as
 * `6`.
 */
function scalarOperation(
  tokens: TokenReader,
  operator: ArithmeticOperator,
  left: ScalarExpression,
  right: ScalarExpression,
): Operand {
  const node = tokens.placed(
    { type: "scalar-operation", operator, left, right } as const,
    tokens.offsetOf(left),
  );
  if (left.type === "static" && right.type === "static") {
    const folded = foldedScalar(operator, left.value, right.value);
    if (typeof folded === "string") {
      throw tokens.errorAt(node, folded);
    }
    return {
      kind: "scalar",
      node: tokens.placed({ type: "static", value: folded }, tokens.offsetOf(left)),
    };
  }
  checkScalars(tokens, operator, { node, left, right });
  return { kind: "scalar", node };
}

/** A comparison as a stage. `1 < 2` is refused, because it does not depend on a spanset. */
function scalarFilter(
  tokens: TokenReader,
  operator: ComparisonOperator,
  left: ScalarExpression,
  right: ScalarExpression,
): Operand {
  const node = tokens.placed(
    { type: "scalar-filter", operator, left, right } as const,
    tokens.offsetOf(left),
  );
  if (left.type === "static" && right.type === "static") {
    throw tokens.errorAt(node, "syntax error: a scalar filter needs an aggregate, such as count()");
  }
  checkScalars(tokens, operator, { node, left, right });
  return { kind: "filter", node };
}

/** Both sides of an operator, and the node with its position. */
interface ScalarPair {
  readonly node: object;
  readonly left: ScalarExpression;
  readonly right: ScalarExpression;
}

function checkScalars(
  tokens: TokenReader,
  operator: ArithmeticOperator | ComparisonOperator,
  { node, left, right }: ScalarPair,
): void {
  const [leftType, rightType] = [scalarTypeOf(left), scalarTypeOf(right)];
  const text = `${printScalar(left)} ${operator} ${printScalar(right)}`;
  if (!typesMatch(leftType, rightType)) {
    throw tokens.errorAt(node, `binary operations must operate on the same type: ${text}`);
  }
  if (!takes(operator, leftType) || !takes(operator, rightType)) {
    throw tokens.errorAt(node, `illegal operation for the given types: ${text}`);
  }
}

/** Parses the next operand. @throws TraceQlError for a token with which no operand starts */
function readOperand(tokens: TokenReader): Operand {
  const token = tokens.next;
  const { offset } = tokens;
  if (tokens.isSymbol("{")) {
    return { kind: "spanset", node: readFilter(tokens) };
  }
  if (tokens.accept("(")) {
    const inner = readPipeline(tokens);
    tokens.expect(")");
    return wrapped(tokens, inner, offset);
  }
  if (tokens.accept("-")) {
    const operand = readExpression(tokens, powerBinding + 1);
    if (operand.kind !== "scalar" || operand.node.type !== "static") {
      throw tokens.errorAt(operand.node, "syntax error: a minus can stand before a number only");
    }
    const value = negated(operand.node.value);
    return { kind: "scalar", node: tokens.placed({ type: "static", value }, offset) };
  }
  if (token.kind === "int" || token.kind === "float" || token.kind === "duration") {
    tokens.take();
    const value =
      token.kind === "float"
        ? ({ type: "float", value: token.value } as const)
        : ({ type: token.kind, value: token.value } as const);
    return { kind: "scalar", node: tokens.placed({ type: "static", value }, offset) };
  }
  if (token.kind === "word") {
    if (aggregates.has(token.text)) {
      return { kind: "scalar", node: readAggregate(tokens) };
    }
    if (token.text === "by") {
      return { kind: "stage", node: readGroup(tokens) };
    }
    if (token.text === "select") {
      return { kind: "stage", node: readSelect(tokens) };
    }
    if (token.text === "coalesce") {
      tokens.take();
      tokens.expect("(");
      tokens.expect(")");
      return { kind: "stage", node: tokens.placed({ type: "coalesce" }, offset) };
    }
  }
  throw tokens.unexpected("{", "(", "an aggregate");
}

/** Parentheses convert a single stage to a spanset. Parentheses around a spanset or a number have no effect. */
function wrapped(tokens: TokenReader, inner: Operand, offset: number): Operand {
  if (inner.kind !== "filter" && inner.kind !== "stage") {
    return inner;
  }
  const stages = [stageOf(tokens, inner)];
  return { kind: "spanset", node: tokens.placed({ type: "pipeline", stages }, offset) };
}

/**
 * The error for `compare()` as an operand: its answer has counts instead of series, so no operator or stage may follow.
 */
function notAlone(tokens: TokenReader, node: object) {
  return tokens.errorAt(node, "compare() must be the last stage of the query, and cannot be calculated with");
}

/** Appends stages such as `topk(5)` to series. @throws TraceQlError after `compare()` */
function withSecondStages(
  tokens: TokenReader,
  operand: Extract<Operand, { kind: "metrics" }>,
  secondStages: readonly SecondStage[],
): Operand {
  const { node } = operand;
  if (secondStages.length === 0 || node.type === "static") {
    return operand;
  }
  if (node.type === "metrics-comparison") {
    throw notAlone(tokens, node);
  }
  return { kind: "metrics", node: { ...node, secondStages: [...node.secondStages, ...secondStages] } };
}
