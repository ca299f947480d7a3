/**
 * The tree of a TraceQL query, as Grafana Tempo documents the language. The tree is plain data without positions, so
 * that equal texts have equal trees.
 */

export type TraceQlQuery =
  // Selects spansets of traces: `{ status = error } | count() > 2`.
  | { readonly type: "search"; readonly pipeline: Pipeline; readonly hints: readonly Hint[] }
  // Gives series over time: `{ status = error } | rate()`.
  | { readonly type: "metrics"; readonly expression: MetricsExpression; readonly hints: readonly Hint[] };

/** `with(name=value)`: advice to an engine, which may ignore it. */
export interface Hint {
  readonly name: string;
  readonly value: Static;
}

/**
 * One or more stages. Each stage processes the spansets from the previous stage: `{ … } | count() > 2 | select(.a)`.
 */
export interface Pipeline {
  readonly type: "pipeline";
  readonly stages: readonly Stage[];
}

/**
 * A step of a pipeline. Spanset expressions and filters drop spans; `by`, `select` and `coalesce` only regroup spans or
 * select fields.
 */
export type Stage = SpansetExpression | ScalarFilter | GroupStage | SelectStage | CoalesceStage;

/** Selects spans of a trace. A nested pipeline is in parentheses. */
export type SpansetExpression = SpansetFilter | SpansetOperation | Pipeline;

/** `{ condition }`; `{ }` has the condition `true`. */
export interface SpansetFilter {
  readonly type: "filter";
  readonly condition: FieldExpression;
}

/** `left operator right`: combines spansets, or finds spans by their relation. */
export interface SpansetOperation {
  readonly type: "spanset-operation";
  readonly operator: SpansetOperator;
  readonly left: SpansetExpression;
  readonly right: SpansetExpression;
}

/**
 * Relations: `>` child, `<` parent, `>>` descendant, `<<` ancestor, `~` sibling. The result contains the spans on the
 * right side that have this relation to a span on the left side. With `!`, it contains the spans on the right side
 * without this relation; with `&`, the related spans of both sides. `&&` keeps traces in which both sides have spans,
 * and `||` traces in which at least one side has spans; the result has the spans of both sides.
 */
export type SpansetOperator = (typeof spansetOperators)[number];

/** All operators between spansets, in their form in queries. */
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

/** `count() > 2`: keeps spansets for which the comparison is true. */
export interface ScalarFilter {
  readonly type: "scalar-filter";
  readonly operator: ComparisonOperator;
  readonly left: ScalarExpression;
  readonly right: ScalarExpression;
}

/** `by(expression)`: makes a spanset for each value. */
export interface GroupStage {
  readonly type: "group";
  readonly expression: FieldExpression;
}

/** `select(field, …)`: fields to show, without filtering. */
export interface SelectStage {
  readonly type: "select";
  readonly fields: readonly Field[];
}

/** `coalesce()`: makes one spanset from all spansets of a trace. */
export interface CoalesceStage {
  readonly type: "coalesce";
}

/** A number for each spanset. */
export type ScalarExpression = Aggregate | StaticExpression | ScalarOperation;

/** `left operator right`, where both sides are numbers of the same spanset. */
export interface ScalarOperation {
  readonly type: "scalar-operation";
  readonly operator: ArithmeticOperator;
  readonly left: ScalarExpression;
  readonly right: ScalarExpression;
}

/**
 * A number that is computed from the spans of one spanset: `count()`, `max(duration)`. `operand` is absent only for
 * `count`.
 */
export interface Aggregate {
  readonly type: "aggregate";
  readonly aggregate: "count" | "min" | "max" | "avg" | "sum";
  readonly operand?: FieldExpression;
}

export type ComparisonOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "^";

/** A value for each span. */
export type FieldExpression = StaticExpression | Field | UnaryOperation | BinaryOperation | ExistsOperation;

/** `-.a`, the negative number, or `!.a`, the opposite of a boolean. */
export interface UnaryOperation {
  readonly type: "unary";
  readonly operator: "-" | "!";
  readonly operand: FieldExpression;
}

/** `left operator right` for one span: `.a + 1`, `.b = "x"`. The parser checks the types of both sides. */
export interface BinaryOperation {
  readonly type: "binary";
  readonly operator: BinaryOperator;
  readonly left: FieldExpression;
  readonly right: FieldExpression;
}

/**
 * Operators between two values of a span. `=~` and `!~` match the whole text with the pattern on the right side.
 */
export type BinaryOperator = ComparisonOperator | ArithmeticOperator | "=~" | "!~" | "&&" | "||";

/** `operand != nil`, or, with `exists: false`, `operand = nil`. */
export interface ExistsOperation {
  readonly type: "exists";
  readonly operand: FieldExpression;
  readonly exists: boolean;
}

/** A literal value as an operand. */
export interface StaticExpression {
  readonly type: "static";
  readonly value: Static;
}

/** A literal value. Durations are nanoseconds. */
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

/** A value of a span: an attribute that its program set, or an intrinsic, which TraceQL defines. */
export type Field = AttributeField | IntrinsicField;

/** The scope of an attribute; `any`: the span, or the resource if the span does not have the attribute. */
export type AttributeScope = "any" | "span" | "resource" | "event" | "link" | "instrumentation";

/** `.a`, `span.a`, `parent.resource.a` … */
export interface AttributeField {
  readonly type: "attribute";
  readonly scope: AttributeScope;
  readonly name: string;
  /** True: the attribute of the span's parent. */
  readonly ofParent: boolean;
}

/** `duration`, `span:duration` … */
export interface IntrinsicField {
  readonly type: "intrinsic";
  readonly name: IntrinsicName;
}

/** Name of an intrinsic. Different spellings in a query have the same name. */
export type IntrinsicName = (typeof intrinsicNames)[number];

/** Names of all intrinsics. `nestedSet…` are the numbers of a span in the tree of its trace. */
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

/** Series over time. Within a larger expression a metrics pipeline is in parentheses. */
export type MetricsExpression = MetricsPipeline | MetricsMath | MetricsComparison | StaticExpression;

/**
 * `{ … } | compare({ … }, 10)`: counts the values of attributes in spans of the selection, and in all other spans. A
 * comparison is always a whole query.
 */
export interface MetricsComparison {
  readonly type: "metrics-comparison";
  readonly pipeline: Pipeline;
  readonly selection: SpansetFilter;
  /** Number of values of each attribute to be shown, most frequent first, 1 to 1,000; default: 10. */
  readonly limit: number;
  /** Time range in which spans of the selection start: after `startUnixNano`, up to `endUnixNano`. Absent: any time. */
  readonly within?: { readonly startUnixNano: bigint; readonly endUnixNano: bigint };
}

/** An operand of arithmetic. */
export type MetricsOperand = Exclude<MetricsExpression, MetricsComparison>;

/** `{ … } | rate() by(.a) | topk(5)`. */
export interface MetricsPipeline {
  readonly type: "metrics-pipeline";
  readonly pipeline: Pipeline;
  readonly aggregate: MetricsAggregate;
  readonly secondStages: readonly SecondStage[];
}

/** Combines series with equal labels. A number is combined with every series. At most one side may be a number. */
export interface MetricsMath {
  readonly type: "metrics-math";
  readonly operator: "+" | "-" | "*" | "/";
  readonly left: MetricsOperand;
  readonly right: MetricsOperand;
  /** Stages that are applied to the result. */
  readonly secondStages: readonly SecondStage[];
}

/**
 * Function that computes a sample from the spans of each interval. `rate` divides the number of spans by the seconds of
 * the interval.
 */
export type MetricsFunction =
  | "rate"
  | "count_over_time"
  | "min_over_time"
  | "max_over_time"
  | "avg_over_time"
  | "sum_over_time"
  | "quantile_over_time"
  | "histogram_over_time";

/** A metrics function with its arguments: `quantile_over_time(duration, .5, .99) by(.a)`. */
export interface MetricsAggregate {
  readonly function: MetricsFunction;
  /** Argument of the function; absent only for `rate` and `count_over_time`. */
  readonly field?: Field;
  /** Quantiles from 0 to 1 for `quantile_over_time`; empty for any other function. */
  readonly quantiles: readonly number[];
  /** Fields by which spans are grouped into series, at most five; empty: all spans are one series. */
  readonly by: readonly Field[];
}

/** A stage for whole series: it keeps the largest or smallest series, or the samples for which a comparison is true. */
export type SecondStage =
  | { readonly type: "topk" | "bottomk"; readonly limit: number }
  | { readonly type: "metrics-filter"; readonly operator: ComparisonOperator; readonly value: number };
