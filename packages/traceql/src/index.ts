export { printDuration } from "./durations.ts";
export { floatOperation, intOperation } from "./fold-scalar.ts";
export { intrinsicText, intrinsicType, isRepeated, type ValueType } from "./intrinsics.ts";
export { traceQlLimits } from "./limits.ts";
export { type LinearRegex, linearRegex } from "./linear-regex.ts";
export { parseTraceQl } from "./parse-traceql.ts";
export { printField, printFieldExpression } from "./print-fields.ts";
export { printScalar, printStage, printTraceQl } from "./print-traceql.ts";
export type {
  Aggregate,
  ArithmeticOperator,
  AttributeField,
  AttributeScope,
  BinaryOperation,
  BinaryOperator,
  CoalesceStage,
  ComparisonOperator,
  ExistsOperation,
  Field,
  FieldExpression,
  GroupStage,
  Hint,
  IntrinsicField,
  IntrinsicName,
  MetricsAggregate,
  MetricsComparison,
  MetricsExpression,
  MetricsFunction,
  MetricsMath,
  MetricsOperand,
  MetricsPipeline,
  Pipeline,
  ScalarExpression,
  ScalarFilter,
  ScalarOperation,
  SecondStage,
  SelectStage,
  SpansetExpression,
  SpansetFilter,
  SpansetOperation,
  SpansetOperator,
  Stage,
  Static,
  StaticExpression,
  TraceQlQuery,
  UnaryOperation,
} from "./syntax-tree.ts";
export { TraceQlError } from "./traceql-error.ts";
