export { floatOperation, intOperation } from "./fold-scalar.ts";
export { intrinsicType, isRepeated } from "./intrinsics.ts";

export { type LinearRegex, linearRegex } from "./linear-regex.ts";
export { parseTraceQl } from "./parse-traceql.ts";
export { printField, printFieldExpression } from "./print-fields.ts";
export { printScalar, printStage, printTraceQl } from "./print-traceql.ts";
export type {
  Aggregate,
  ArithmeticOperator,
  AttributeField,
  BinaryOperation,
  BinaryOperator,
  ComparisonOperator,
  Field,
  FieldExpression,
  MetricsAggregate,
  MetricsComparison,
  MetricsExpression,
  MetricsMath,
  MetricsOperand,
  MetricsPipeline,
  Pipeline,
  ScalarExpression,
  ScalarFilter,
  SecondStage,
  SpansetExpression,
  SpansetOperation,
  SpansetOperator,
  Stage,
  Static,
  TraceQlQuery,
  UnaryOperation,
} from "./syntax-tree.ts";
export { TraceQlError } from "./traceql-error.ts";
