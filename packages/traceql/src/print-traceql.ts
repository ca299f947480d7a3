import { binding, powerBinding } from "./binding.ts";
import { printField, printFieldExpression, printFloat, printStatic } from "./print-fields.ts";
import type {
  Hint,
  MetricsAggregate,
  MetricsExpression,
  MetricsPipeline,
  Pipeline,
  ScalarExpression,
  SecondStage,
  SpansetExpression,
  Stage,
  TraceQlQuery,
} from "./syntax-tree.ts";

/** The query as text. Equal trees have equal texts, and `parseTraceQl` returns the same tree for the text. */
export function printTraceQl(query: TraceQlQuery): string {
  const text = query.type === "search" ? printPipeline(query.pipeline) : printMetrics(query.expression, true);
  return query.hints.length === 0 ? text : `${text} ${printHints(query.hints)}`;
}

function printHints(hints: readonly Hint[]): string {
  return `with(${hints.map(({ name, value }) => `${name}=${printStatic(value)}`).join(", ")})`;
}

function printPipeline({ stages }: Pipeline): string {
  return stages.map(printStage).join(" | ");
}

/** Writes a stage in TraceQL, such as `by(.a)`. */
export function printStage(stage: Stage): string {
  switch (stage.type) {
    case "scalar-filter":
      return `${printScalar(stage.left)} ${stage.operator} ${printScalar(stage.right)}`;
    case "group":
      return `by(${printFieldExpression(stage.expression)})`;
    case "select":
      return `select(${stage.fields.map(printField).join(", ")})`;
    case "coalesce":
      return "coalesce()";
    default:
      return printSpansets(stage);
  }
}

function printSpansets(expression: SpansetExpression): string {
  switch (expression.type) {
    case "filter":
      return `{ ${printFieldExpression(expression.condition)} }`;
    case "pipeline":
      return `(${printPipeline(expression)})`;
    case "spanset-operation": {
      const own = spansetBinding(expression);
      return `${spansetOperand(expression.left, own)} ${expression.operator} ${spansetOperand(expression.right, own + 1)}`;
    }
  }
}

/** @param min lowest precedence that needs no parentheses */
function spansetOperand(expression: SpansetExpression, min: number): string {
  const text = printSpansets(expression);
  return spansetBinding(expression) < min ? `(${text})` : text;
}

function spansetBinding(expression: SpansetExpression): number {
  if (expression.type !== "spanset-operation") {
    return Number.POSITIVE_INFINITY;
  }
  return expression.operator === "&&" || expression.operator === "||" ? 1 : 2;
}

/** The text of a number of a spanset, such as `count()`. */
export function printScalar(expression: ScalarExpression): string {
  switch (expression.type) {
    case "static":
      return printStatic(expression.value);
    case "aggregate": {
      const { aggregate, operand } = expression;
      return `${aggregate}(${operand === undefined ? "" : printFieldExpression(operand)})`;
    }
    case "scalar-operation": {
      const own = binding[expression.operator] ?? 0;
      const isPower = own === powerBinding;
      const left = scalarOperand(expression.left, isPower ? own + 1 : own);
      return `${left} ${expression.operator} ${scalarOperand(expression.right, isPower ? own : own + 1)}`;
    }
  }
}

/** A number of an operation. A leading minus gets parentheses: `2 - (-1)`. @param min as in `spansetOperand` */
function scalarOperand(expression: ScalarExpression, min: number): string {
  const text = printScalar(expression);
  const own =
    expression.type === "scalar-operation" ? (binding[expression.operator] ?? 0) : Number.POSITIVE_INFINITY;
  return own < min || text.startsWith("-") ? `(${text})` : text;
}

/** @param isRoot false: the pipeline gets parentheses */
function printMetrics(expression: MetricsExpression, isRoot: boolean): string {
  switch (expression.type) {
    case "static": {
      const text = printStatic(expression.value);
      return text.startsWith("-") ? `(${text})` : text;
    }
    case "metrics-pipeline": {
      const text = printMetricsPipeline(expression);
      return isRoot ? text : `(${text})`;
    }
    case "metrics-comparison": {
      const { pipeline, selection, limit, within } = expression;
      const numbers = [limit, ...(within === undefined ? [] : [within.startUnixNano, within.endUnixNano])];
      return `${printPipeline(pipeline)} | compare(${[printStage(selection), ...numbers].join(", ")})`;
    }
    case "metrics-math": {
      const { left, operator, right, secondStages } = expression;
      const text =
        `${printMetrics(left, false)} ${operator} ${printMetrics(right, false)}` +
        printSecondStages(secondStages);
      return isRoot ? text : `(${text})`;
    }
  }
}

function printMetricsPipeline({ pipeline, aggregate, secondStages }: MetricsPipeline): string {
  return `${printPipeline(pipeline)} | ${printAggregate(aggregate)}${printSecondStages(secondStages)}`;
}

function printAggregate({ function: name, field, quantiles, by }: MetricsAggregate): string {
  const operands = [...(field === undefined ? [] : [printField(field)]), ...quantiles.map(String)];
  const groups = by.length === 0 ? "" : ` by(${by.map(printField).join(", ")})`;
  return `${name}(${operands.join(", ")})${groups}`;
}

function printSecondStages(stages: readonly SecondStage[]): string {
  return stages
    .map((stage) =>
      stage.type === "metrics-filter"
        ? ` ${stage.operator} ${printFloat(stage.value)}`
        : ` | ${stage.type}(${stage.limit})`,
    )
    .join("");
}
