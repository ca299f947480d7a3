import fc from "fast-check";
import { parseTraceQl } from "../parse-traceql.ts";
import { printTraceQl } from "../print-traceql.ts";
import {
  type AttributeScope,
  type BinaryOperator,
  type Field,
  type FieldExpression,
  type IntrinsicName,
  intrinsicNames,
  type MetricsComparison,
  type MetricsExpression,
  type MetricsFunction,
  type ScalarExpression,
  type ScalarFilter,
  type SecondStage,
  type SpansetExpression,
  type SpansetFilter,
  type Stage,
  type Static,
  spansetOperators,
  type TraceQlQuery,
} from "../syntax-tree.ts";

/** Names and values for generated queries, so that they match some spans of a test. */
export interface QueryVocabulary {
  /** Names of attributes. */
  readonly names: readonly string[];
  readonly strings: readonly string[];
  readonly regexes: readonly string[];
  readonly ints: readonly bigint[];
  readonly floats: readonly number[];
  readonly durations: readonly bigint[];
  readonly intrinsics: readonly IntrinsicName[];
}

/** Names and values for all parts of the language. */
export const wholeVocabulary: QueryVocabulary = {
  names: ["a", "service.name", "a b", 'quo"ted\\', "", "span.a", "ümlaut", "{x}"],
  strings: ["", "x", "back`quote", 'both`"\\\n', "\r\u0000"],
  regexes: [".*", "a|b", "[a-z]+x{2}"],
  ints: [0n, 1n, 200n, 2n ** 63n - 1n],
  floats: [0.5, 1e21, 0, 1e-7],
  durations: [0n, 1n, 1_500_000_000n, 3_600_000_000_000n],
  intrinsics: intrinsicNames,
};

const scopes: readonly AttributeScope[] = ["any", "span", "resource", "event", "link", "instrumentation"];

/**
 * Generates queries that pass the checks.
 * @param ofParent true: also generates fields of the parent
 */
export function queryArbitrary(words: QueryVocabulary, ofParent = true): fc.Arbitrary<TraceQlQuery> {
  const fields = fieldArbitrary(words, ofParent);
  const { expression } = fieldExpressions(words, fields);
  const { pipeline, filter } = spansetExpressions(expression, fields, words);
  const hint = fc.record({ name: fc.constantFrom("sample", "exemplars"), value: staticArbitrary(words) });
  const search = fc.record({
    type: fc.constant("search" as const),
    pipeline,
    hints: fc.array(hint, { maxLength: 1 }),
  });
  const metrics = fc.record({
    type: fc.constant("metrics" as const),
    expression: metricsArbitrary(pipeline, filter, fields),
    hints: fc.constant([]),
  });
  return fc.oneof({ weight: 3, arbitrary: search }, { weight: 1, arbitrary: metrics }).filter(isChecked);
}

/** The parser decides which queries pass. */
function isChecked(query: TraceQlQuery): boolean {
  try {
    parseTraceQl(printTraceQl(query));
    return true;
  } catch {
    return false;
  }
}

function fieldArbitrary(words: QueryVocabulary, ofParent: boolean): fc.Arbitrary<Field> {
  const attribute = fc.record({
    type: fc.constant("attribute" as const),
    scope: fc.constantFrom(...scopes),
    name: fc.constantFrom(...words.names),
    ofParent: ofParent ? fc.boolean() : fc.constant(false),
  });
  const intrinsic = fc.record({
    type: fc.constant("intrinsic" as const),
    name: fc.constantFrom(...words.intrinsics),
  });
  return fc.oneof(
    attribute.map((field) =>
      field.scope === "event" || field.scope === "link" || field.scope === "instrumentation"
        ? { ...field, ofParent: false }
        : field,
    ),
    intrinsic,
  );
}

function staticArbitrary(words: QueryVocabulary): fc.Arbitrary<Static> {
  return fc.oneof(
    fc.constantFrom(...words.strings).map((value) => ({ type: "string", value }) as const),
    fc.constantFrom(...words.ints).map((value) => ({ type: "int", value }) as const),
    fc.constantFrom(...words.floats).map((value) => ({ type: "float", value }) as const),
    fc.constantFrom(...words.durations).map((value) => ({ type: "duration", value }) as const),
    fc.boolean().map((value) => ({ type: "bool", value }) as const),
    fc.constantFrom("unset" as const, "ok" as const, "error" as const).map((value) => {
      return { type: "status", value } as const;
    }),
    fc.constantFrom("server" as const, "client" as const, "unspecified" as const).map((value) => {
      return { type: "kind", value } as const;
    }),
  );
}

const comparisons = ["=", "!=", "<", "<=", ">", ">="] as const;
const arithmetic = ["+", "-", "*", "/", "%", "^"] as const;

function fieldExpressions(
  words: QueryVocabulary,
  fields: fc.Arbitrary<Field>,
): { readonly expression: fc.Arbitrary<FieldExpression> } {
  const statics = staticArbitrary(words).map((value) => ({ type: "static", value }) as const);
  return fc.letrec<{ expression: FieldExpression; value: FieldExpression }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fields,
      statics,
      fc.record({
        type: fc.constant("binary" as const),
        operator: fc.constantFrom<BinaryOperator>(...arithmetic),
        left: tie("value"),
        right: tie("value"),
      }),
    ),
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({
        type: fc.constant("binary" as const),
        operator: fc.constantFrom<BinaryOperator>(...comparisons),
        left: fields as fc.Arbitrary<FieldExpression>,
        right: statics as fc.Arbitrary<FieldExpression>,
      }),
      fc.record({
        type: fc.constant("binary" as const),
        operator: fc.constantFrom<BinaryOperator>("=~", "!~"),
        left: fields as fc.Arbitrary<FieldExpression>,
        right: fc
          .constantFrom(...words.regexes)
          .map((value): FieldExpression => ({ type: "static", value: { type: "string", value } })),
      }),
      fc.record({ type: fc.constant("exists" as const), operand: fields, exists: fc.boolean() }),
      fields,
      statics,
      fc.record({
        type: fc.constant("binary" as const),
        operator: fc.constantFrom<BinaryOperator>(...comparisons),
        left: tie("value"),
        right: tie("value"),
      }),
      fc.record({
        type: fc.constant("unary" as const),
        operator: fc.constantFrom("!" as const, "-" as const),
        operand: tie("expression"),
      }),
      fc.record({
        type: fc.constant("binary" as const),
        operator: fc.constantFrom<BinaryOperator>("&&", "||"),
        left: tie("expression"),
        right: tie("expression"),
      }),
    ),
  }));
}

function spansetExpressions(
  expression: fc.Arbitrary<FieldExpression>,
  fields: fc.Arbitrary<Field>,
  words: QueryVocabulary,
) {
  const filter = expression.map((condition) => ({ type: "filter", condition }) as const);
  const aggregate: fc.Arbitrary<ScalarExpression> = fc.oneof(
    fc.constant({ type: "aggregate", aggregate: "count" } as const),
    fc.record({
      type: fc.constant("aggregate" as const),
      aggregate: fc.constantFrom("min" as const, "max" as const, "avg" as const, "sum" as const),
      operand: fields,
    }),
  );
  const number = fc
    .constantFrom(...words.ints)
    .map((value) => ({ type: "static", value: { type: "int", value } }) as const);
  const scalarFilter: fc.Arbitrary<ScalarFilter> = fc.record({
    type: fc.constant("scalar-filter" as const),
    operator: fc.constantFrom(...comparisons),
    left: aggregate,
    right: fc.oneof(number, aggregate),
  });
  const tied = fc.letrec<{ spansets: SpansetExpression; stage: Stage }>((tie) => ({
    spansets: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      filter,
      fc.record({
        type: fc.constant("spanset-operation" as const),
        operator: fc.constantFrom(...spansetOperators),
        left: tie("spansets"),
        right: tie("spansets"),
      }),
      fc.record({
        type: fc.constant("pipeline" as const),
        stages: fc.array(tie("stage"), { minLength: 2, maxLength: 3 }),
      }),
    ),
    stage: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      filter,
      tie("spansets"),
      scalarFilter,
      fc.record({ type: fc.constant("group" as const), expression: fields }),
      fc.record({
        type: fc.constant("select" as const),
        fields: fc.array(fields, { minLength: 1, maxLength: 2 }),
      }),
      fc.constant({ type: "coalesce" } as const),
    ),
  }));
  const pipeline = fc
    .tuple(tied.spansets, fc.array(tied.stage, { maxLength: 2 }))
    .map(([first, rest]) => ({ type: "pipeline", stages: [first, ...rest] }) as const)
    .map((whole) => {
      const [only] = whole.stages;
      return whole.stages.length === 1 && only?.type === "pipeline" ? only : whole;
    });
  return { pipeline, filter };
}

function metricsArbitrary(
  pipeline: fc.Arbitrary<Extract<TraceQlQuery, { type: "search" }>["pipeline"]>,
  filter: fc.Arbitrary<SpansetFilter>,
  fields: fc.Arbitrary<Field>,
): fc.Arbitrary<MetricsExpression> {
  const by = fc.array(fields, { maxLength: 2 });
  const aggregate = fc.oneof(
    fc.record({
      function: fc.constantFrom<MetricsFunction>("rate", "count_over_time"),
      quantiles: fc.constant([]),
      by,
    }),
    fc.record({
      function: fc.constantFrom<MetricsFunction>(
        "min_over_time",
        "max_over_time",
        "avg_over_time",
        "sum_over_time",
        "histogram_over_time",
      ),
      field: fields,
      quantiles: fc.constant([]),
      by,
    }),
    fc.record({
      function: fc.constant<MetricsFunction>("quantile_over_time"),
      field: fields,
      quantiles: fc.array(fc.constantFrom(0, 0.5, 0.99, 1), { minLength: 1, maxLength: 2 }),
      by,
    }),
  );
  const secondStages = fc.array(
    fc.oneof(
      fc.record({
        type: fc.constantFrom("topk" as const, "bottomk" as const),
        limit: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({
        type: fc.constant("metrics-filter" as const),
        operator: fc.constantFrom(...comparisons),
        value: fc.constantFrom(-1, 0, 2, 0.5),
      }),
    ) satisfies fc.Arbitrary<SecondStage>,
    { maxLength: 2 },
  );
  const metricsPipeline = fc.record({
    type: fc.constant("metrics-pipeline" as const),
    pipeline,
    aggregate,
    secondStages,
  });
  const comparison: fc.Arbitrary<MetricsComparison> = fc
    .tuple(pipeline, filter, fc.integer({ min: 1, max: 4 }), fc.boolean())
    .map(([compared, selection, limit, hasTimes]) => ({
      ...{ type: "metrics-comparison", pipeline: compared, selection, limit },
      ...(hasTimes ? { within: { startUnixNano: 1n, endUnixNano: 2n ** 63n - 1n } } : {}),
    }));
  return fc.oneof(
    { weight: 4, arbitrary: metricsPipeline },
    { weight: 1, arbitrary: comparison },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("metrics-math" as const),
        operator: fc.constantFrom("+" as const, "-" as const, "*" as const, "/" as const),
        left: metricsPipeline,
        right: fc.oneof(
          metricsPipeline,
          fc.constant({ type: "static", value: { type: "int", value: 2n } } as const),
        ),
        secondStages,
      }),
    },
  );
}
