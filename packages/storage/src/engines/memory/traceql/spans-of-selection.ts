import type { FieldExpression, Pipeline } from "traceql";
import type { Span } from "wire/model";
import type { SpanSelection } from "../../../api/analysis-reader.ts";
import { rangeOfQuery } from "../../../api/checked-analysis.ts";
import { traceRange } from "../../../api/checked-traceql.ts";
import { conditionEvaluator } from "../../../traceql/field-evaluator.ts";
import { allSpans, pipelineEvaluator } from "../../../traceql/pipeline-evaluator.ts";
import { QueryFields } from "../../../traceql/query-fields.ts";
import { TraceView } from "../../../traceql/trace-view.ts";
import { spanMatches } from "../span-matches.ts";
import { factsOf, startsWithin } from "./facts-of.ts";

/** Spans of traces that belong to a selection. */
export function spansOfSelection(
  traces: Iterable<readonly Span[]>,
  { query, ...filter }: SpanSelection,
): ReadonlySet<Span> {
  const found = new Set<Span>();
  const matches = (span: Span) => spanMatches(span, { ...filter, limit: 1 });
  if (query?.type !== "search") {
    for (const spans of traces) {
      for (const span of spans) {
        if (matches(span)) {
          found.add(span);
        }
      }
    }
    return found;
  }
  const range = rangeOfQuery({ ...filter, query });
  const around = traceRange(range);
  const fields = new QueryFields(query);
  const evaluate = pipelineEvaluator(query.pipeline, fields);
  for (const spans of traces) {
    const near = spans.filter((span) => startsWithin(span, around));
    const spanOf = new Map(near.map((span) => [factsOf(span, range, fields), span]));
    const view = new TraceView(spans[0]?.traceId ?? "", [...spanOf.keys()]);
    for (const set of evaluate(allSpans(view))) {
      for (const { facts } of set.spans) {
        const span = spanOf.get(facts);
        if (span !== undefined && matches(span)) {
          found.add(span);
        }
      }
    }
  }
  return found;
}

/** Makes a function that tests a condition on single spans. */
export function spanTest(condition: FieldExpression): (span: Span) => boolean {
  const pipeline: Pipeline = { type: "pipeline", stages: [{ type: "filter", condition }] };
  const fields = new QueryFields({ type: "search", pipeline, hints: [] });
  const isTrue = conditionEvaluator(condition, fields);
  return (span) => {
    const time = { startUnixNano: span.startTimeUnixNano, endUnixNano: span.startTimeUnixNano };
    return new TraceView(span.traceId, [factsOf(span, time, fields)]).spans.some((view) => isTrue(view));
  };
}
