/**
 * The tree of a TraceQL query, as Grafana Tempo documents the language. Plain data: no positions, nothing but what the
 * text says, so two texts that mean the same to the letter give equal trees.
 */

/** A whole query. */
export type TraceQlQuery =
  | { readonly type: "search"; readonly pipeline: Pipeline; readonly hints: readonly Hint[] }
  | { readonly type: "metrics"; readonly expression: MetricsExpression; readonly hints: readonly Hint[] };

/** `with(name=value)`: advice to an engine, which may ignore it. */
export interface Hint {
  readonly name: string;
  readonly value: Static;
}

/** Stages, each of which takes the spansets of the one before: `{ … } | count() > 2 | select(.a)`. At least one. */
export interface Pipeline {
  readonly type: "pipeline";
  readonly stages: readonly Stage[];
}

export type Stage = SpansetExpression | ScalarFilter | GroupStage | SelectStage | CoalesceStage;

/** What selects spans of a trace; a pipeline here is one in parentheses. */
export type SpansetExpression = SpansetFilter | SpansetOperation | Pipeline;

/** `{ condition }`; `{ }` has the condition `true`. */
export interface SpansetFilter {
  readonly type: "filter";
  readonly condition: FieldExpression;
}

export interface SpansetOperation {
  readonly type: "spanset-operation";
  readonly operator: SpansetOperator;
  readonly left: SpansetExpression;
  readonly right: SpansetExpression;
}

/**
 * `>` child, `<` parent, `>>` descendant, `<<` ancestor, `~` sibling: spans of the right that are so to one of the left.
 * With `!`: spans of the right that are so to none; with `&`: the spans of both sides that stand so to each other.
 */
export type SpansetOperator = (typeof spansetOperators)[number];

export const spansetOperators = [
  "&&",
  "||",
  ">",
  ">>",
  "<",
  "<<",
  "~",
  "!>",
  "!>>",
  "!<",
  "!<<",
  "!~",
  "&>",
  "&>>",
  "&<",
  "&<<",
  "&~",
] as const satisfies readonly string[];

/** `count() > 2`: keeps the spansets of which it is true. */
export interface ScalarFilter {
  readonly type: "scalar-filter";
  readonly operator: ComparisonOperator;
  readonly left: ScalarExpression;
  readonly right: ScalarExpression;
}

/** `by(expression)`: a spanset for each value. */
export interface GroupStage {
  readonly type: "group";
  readonly expression: FieldExpression;
}

/** `select(field, …)`: fields to show; it filters nothing. */
export interface SelectStage {
  readonly type: "select";
  readonly fields: readonly Field[];
}

/** `coalesce()`: one spanset of all. */
export interface CoalesceStage {
  readonly type: "coalesce";
}

/** A number of each spanset. */
export type ScalarExpression = Aggregate | StaticExpression | ScalarOperation;

export interface ScalarOperation {
  readonly type: "scalar-operation";
  readonly operator: ArithmeticOperator;
  readonly left: ScalarExpression;
  readonly right: ScalarExpression;
}

/** `operand` is absent for `count` only. */
export interface Aggregate {
  readonly type: "aggregate";
  readonly aggregate: "count" | "min" | "max" | "avg" | "sum";
  readonly operand?: FieldExpression;
}

export type ComparisonOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "^";

/** A value of each span. */
export type FieldExpression = StaticExpression | Field | UnaryOperation | BinaryOperation | ExistsOperation;

export interface UnaryOperation {
  readonly type: "unary";
  readonly operator: "-" | "!";
  readonly operand: FieldExpression;
}

export interface BinaryOperation {
  readonly type: "binary";
  readonly operator: BinaryOperator;
  readonly left: FieldExpression;
  readonly right: FieldExpression;
}

export type BinaryOperator = ComparisonOperator | ArithmeticOperator | "=~" | "!~" | "&&" | "||";

/** `operand != nil`, or, with `exists: false`, `operand = nil`. */
export interface ExistsOperation {
  readonly type: "exists";
  readonly operand: FieldExpression;
  readonly exists: boolean;
}

export interface StaticExpression {
  readonly type: "static";
  readonly value: Static;
}

/** A value as it stands in the text. Durations are nanoseconds. */
export type Static =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "duration"; readonly value: bigint }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "status"; readonly value: "unset" | "ok" | "error" }
  | {
      readonly type: "kind";
      readonly value: "unspecified" | "internal" | "server" | "client" | "producer" | "consumer";
    };

export type Field = AttributeField | IntrinsicField;

/** Whose attribute; `any`: of the span, and where it has none, of its resource. */
export type AttributeScope = "any" | "span" | "resource" | "event" | "link" | "instrumentation";

/** `.a`, `span.a`, `parent.resource.a` … */
export interface AttributeField {
  readonly type: "attribute";
  readonly scope: AttributeScope;
  readonly name: string;
  /** Of the span's parent rather than of the span. */
  readonly ofParent: boolean;
}

/** `duration`, `span:duration` … */
export interface IntrinsicField {
  readonly type: "intrinsic";
  readonly name: IntrinsicName;
}

/** One name for each intrinsic, whichever way it was written. */
export type IntrinsicName = (typeof intrinsicNames)[number];

export const intrinsicNames = [
  "span:duration",
  "span:name",
  "span:status",
  "span:statusMessage",
  "span:kind",
  "span:id",
  "span:parentID",
  "span:childCount",
  "trace:duration",
  "trace:rootName",
  "trace:rootService",
  "trace:id",
  "event:name",
  "event:timeSinceStart",
  "link:traceID",
  "link:spanID",
  "instrumentation:name",
  "instrumentation:version",
  "nestedSetLeft",
  "nestedSetRight",
  "nestedSetParent",
] as const satisfies readonly string[];

/** Series over time. A metrics pipeline in a larger expression stands in parentheses. */
export type MetricsExpression = MetricsPipeline | MetricsMath | MetricsComparison | StaticExpression;

/**
 * `{ … } | compare({ … }, 10)`: how often attributes have their values, in spans of the selection and in the others. A whole
 * query: it cannot be part of a larger expression.
 */
export interface MetricsComparison {
  readonly type: "metrics-comparison";
  readonly pipeline: Pipeline;
  readonly selection: SpansetFilter;
  /** Values to show of each attribute, the most frequent; 1 to 1,000, 10 where the query has none. */
  readonly limit: number;
  /** When spans of the selection start: after `startUnixNano`, up to `endUnixNano`. Absent: whenever. */
  readonly within?: { readonly startUnixNano: bigint; readonly endUnixNano: bigint };
}

/** What can be calculated with. */
export type MetricsOperand = Exclude<MetricsExpression, MetricsComparison>;

/** `{ … } | rate() by(.a) | topk(5)`. */
export interface MetricsPipeline {
  readonly type: "metrics-pipeline";
  readonly pipeline: Pipeline;
  readonly aggregate: MetricsAggregate;
  readonly secondStages: readonly SecondStage[];
}

/** Series with equal labels are calculated with each other; a number is so with each. At most one side is a number. */
export interface MetricsMath {
  readonly type: "metrics-math";
  readonly operator: "+" | "-" | "*" | "/";
  readonly left: MetricsOperand;
  readonly right: MetricsOperand;
  /** Applied to the result. */
  readonly secondStages: readonly SecondStage[];
}

export type MetricsFunction =
  | "rate"
  | "count_over_time"
  | "min_over_time"
  | "max_over_time"
  | "avg_over_time"
  | "sum_over_time"
  | "quantile_over_time"
  | "histogram_over_time";

export interface MetricsAggregate {
  readonly function: MetricsFunction;
  /** Absent for `rate` and `count_over_time` only. */
  readonly field?: Field;
  /** 0 to 1; of `quantile_over_time` only, otherwise empty. */
  readonly quantiles: readonly number[];
  readonly by: readonly Field[];
}

export type SecondStage =
  | { readonly type: "topk" | "bottomk"; readonly limit: number }
  | { readonly type: "metrics-filter"; readonly operator: ComparisonOperator; readonly value: number };
