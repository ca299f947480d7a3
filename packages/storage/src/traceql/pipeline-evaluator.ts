import {
  type Aggregate,
  type FieldExpression,
  intrinsicType,
  type Pipeline,
  printScalar,
  printStage,
  type ScalarExpression,
  type ScalarFilter,
  type SpansetExpression,
  type Stage,
} from "traceql";
import { compare } from "./compare-values.ts";
import { durationText } from "./duration-text.ts";
import { calculated, conditionEvaluator, fieldEvaluator } from "./field-evaluator.ts";
import type { QueryFields } from "./query-fields.ts";
import { isNumber, type QueryValue, toAttributeValue } from "./query-value.ts";
import { combineSpans } from "./spanset-operations.ts";
import type { SpanView, TraceView } from "./trace-view.ts";

/** Spans of one trace that belong together; never empty. */
export interface Spanset {
  /** Spans ordered by start. */
  readonly spans: readonly SpanView[];
  /** Values of `by(…)` and of aggregates. */
  readonly attributes: readonly (readonly [key: string, value: QueryValue])[];
}

export type PipelineEvaluator = (sets: readonly Spanset[]) => readonly Spanset[];

/** The input of a pipeline: one spanset with all spans that start in the range. */
export function allSpans(trace: TraceView): readonly Spanset[] {
  const spans = trace.spans.filter(({ facts }) => facts.isInRange);
  return spans.length === 0 ? [] : [{ spans, attributes: [] }];
}

/** Compiles a pipeline for evaluation on many traces. */
export function pipelineEvaluator({ stages }: Pipeline, fields: QueryFields): PipelineEvaluator {
  const evaluators = stages.map((stage) => stageEvaluator(stage, fields));
  return (sets) =>
    evaluators.reduce((before, evaluate) => (before.length === 0 ? before : evaluate(before)), sets);
}

function stageEvaluator(stage: Stage, fields: QueryFields): PipelineEvaluator {
  switch (stage.type) {
    case "filter":
    case "spanset-operation":
    case "pipeline":
      return spansetEvaluator(stage, fields);
    case "scalar-filter":
      return scalarFilterEvaluator(stage, fields);
    case "group":
      return groupEvaluator(stage.expression, printStage(stage), fields);
    case "select":
      return (sets) => sets;
    case "coalesce":
      return (sets) => [{ spans: spansOf(sets), attributes: [] }];
  }
}

function spansetEvaluator(expression: SpansetExpression, fields: QueryFields): PipelineEvaluator {
  switch (expression.type) {
    case "pipeline":
      return pipelineEvaluator(expression, fields);
    case "filter": {
      const condition = conditionEvaluator(expression.condition, fields);
      return (sets) =>
        sets.flatMap((set) => {
          const spans = set.spans.filter(condition);
          return spans.length === 0 ? [] : [{ ...set, spans }];
        });
    }
    case "spanset-operation": {
      const left = spansetEvaluator(expression.left, fields);
      const right = spansetEvaluator(expression.right, fields);
      return (sets) =>
        sets.flatMap((set) => {
          const spans = combineSpans(expression.operator, spansOf(left([set])), spansOf(right([set])));
          return spans.length === 0 ? [] : [{ ...set, spans }];
        });
    }
  }
}

/** Spans of all sets, without repeats, ordered by start. */
function spansOf(sets: readonly Spanset[]): readonly SpanView[] {
  if (sets.length <= 1) {
    return sets[0]?.spans ?? [];
  }
  return [...new Set(sets.flatMap(({ spans }) => spans))].sort((one, other) => one.index - other.index);
}

function groupEvaluator(expression: FieldExpression, key: string, fields: QueryFields): PipelineEvaluator {
  const value = fieldEvaluator(expression, fields);
  return (sets) =>
    sets.flatMap(({ spans, attributes }) => {
      const groups = new Map<string, { readonly value: QueryValue; readonly spans: SpanView[] }>();
      for (const span of spans) {
        const own = value(span);
        const text = groupKey(own);
        const group = groups.get(text);
        if (group === undefined) {
          groups.set(text, { value: own, spans: [span] });
        } else {
          group.spans.push(span);
        }
      }
      return [...groups.values()].map((group) => ({
        spans: group.spans,
        attributes: [...attributes, [key, group.value] as const],
      }));
    });
}

/** A text that is the same for equal values and differs for unequal values. */
export function groupKey(value: QueryValue): string {
  return JSON.stringify(toAttributeValue(value), (_key, part: unknown) =>
    typeof part === "bigint" || typeof part === "number" ? `${typeof part} ${part}` : part,
  );
}

function scalarFilterEvaluator(
  { operator, left, right }: ScalarFilter,
  fields: QueryFields,
): PipelineEvaluator {
  const ofLeft = scalarEvaluator(left, fields);
  const ofRight = scalarEvaluator(right, fields);
  return (sets) =>
    sets.flatMap((set) => {
      const attributes = new Map<string, QueryValue>(set.attributes);
      const [one, other] = [ofLeft(set.spans, attributes), ofRight(set.spans, attributes)];
      return compare(operator, one, other) ? [{ ...set, attributes: [...attributes] }] : [];
    });
}

/** Computes the number for a spanset, and records the values of its aggregates. */
type ScalarEvaluator = (spans: readonly SpanView[], attributes: Map<string, QueryValue>) => QueryValue;

function scalarEvaluator(expression: ScalarExpression, fields: QueryFields): ScalarEvaluator {
  switch (expression.type) {
    case "static": {
      const value = fieldEvaluator(expression, fields);
      return (spans) => (spans[0] === undefined ? undefined : value(spans[0]));
    }
    case "scalar-operation": {
      const left = scalarEvaluator(expression.left, fields);
      const right = scalarEvaluator(expression.right, fields);
      return (spans, attributes) =>
        calculated(expression.operator, left(spans, attributes), right(spans, attributes));
    }
    case "aggregate": {
      const aggregate = aggregateEvaluator(expression, fields);
      const key = printScalar(expression);
      const { operand } = expression;
      const isDuration = operand?.type === "intrinsic" && intrinsicType(operand.name) === "duration";
      return (spans, attributes) => {
        const value = aggregate(spans);
        if (value !== undefined) {
          attributes.set(
            key,
            isDuration && isNumber(value) ? durationText(BigInt(Math.trunc(Number(value)))) : value,
          );
        }
        return value;
      };
    }
  }
}

function aggregateEvaluator(
  { aggregate, operand }: Aggregate,
  fields: QueryFields,
): (spans: readonly SpanView[]) => QueryValue {
  if (operand === undefined) {
    return (spans) => BigInt(spans.length);
  }
  const value = fieldEvaluator(operand, fields);
  return (spans) => {
    const numbers = spans.map(value).filter(isNumber);
    if (numbers.length === 0) {
      return undefined;
    }
    switch (aggregate) {
      case "min":
        return extreme(numbers, (one, other) => one < other);
      case "max":
        return extreme(numbers, (one, other) => one > other);
      case "avg":
        return average(numbers);
      default:
        return sum(numbers);
    }
  };
}

/** Finds the smallest or the largest value. */
function extreme(
  numbers: readonly (bigint | number)[],
  isBefore: (one: bigint | number, other: bigint | number) => boolean,
): bigint | number {
  let found = numbers[0] ?? 0;
  for (const number of numbers) {
    if (isBefore(number, found)) {
      found = number;
    }
  }
  return found;
}

/** Sum of numbers. Sums of ints are exact and wrap around at 64 bits. */
function sum(numbers: readonly (bigint | number)[]): bigint | number {
  let ints = 0n;
  let floats = 0;
  let isFloat = false;
  for (const number of numbers) {
    if (typeof number === "bigint") {
      ints += number;
    } else {
      floats += number;
      isFloat = true;
    }
  }
  return isFloat ? floats + Number(ints) : BigInt.asIntN(64, ints);
}

function average(numbers: readonly (bigint | number)[]): number {
  return Number(sum(numbers)) / numbers.length;
}
