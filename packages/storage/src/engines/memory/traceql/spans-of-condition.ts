import type { FieldExpression, TraceQlQuery } from "traceql";
import type { Span } from "wire/model";
import type { TimeRange } from "../../../api/analysis-reader.ts";
import { conditionEvaluator } from "../../../traceql/field-evaluator.ts";
import { QueryFields } from "../../../traceql/query-fields.ts";
import { TraceView } from "../../../traceql/trace-view.ts";
import { factsOf } from "./facts-of.ts";

/** The spans of traces that satisfy a condition. */
export function* spansOfCondition(
  traces: Iterable<readonly Span[]>,
  condition: FieldExpression,
  range: TimeRange,
): Generator<Span> {
  const query: TraceQlQuery = {
    type: "search",
    pipeline: { type: "pipeline", stages: [{ type: "filter", condition }] },
    hints: [],
  };
  const fields = new QueryFields(query);
  const isTrue = conditionEvaluator(condition, fields);
  for (const spans of traces) {
    const spanOf = new Map(spans.map((span) => [factsOf(span, range, fields), span]));
    for (const view of new TraceView(spans[0]?.traceId ?? "", [...spanOf.keys()]).spans) {
      const span = spanOf.get(view.facts);
      if (span !== undefined && isTrue(view)) {
        yield span;
      }
    }
  }
}
