import { type Field, intrinsicType, type TraceQlQuery } from "traceql";
import type { AttributeValue } from "wire/model";
import type {
  TraceQlAttribute,
  TraceQlMatch,
  TraceQlServiceStats,
  TraceQlSpan,
  TraceQlSpanSet,
} from "../api/traceql-reader.ts";
import { durationText } from "./duration-text.ts";
import { type FieldEvaluator, fieldReader } from "./field-evaluator.ts";
import { allSpans, type PipelineEvaluator, pipelineEvaluator, type Spanset } from "./pipeline-evaluator.ts";
import type { QueryFields } from "./query-fields.ts";
import { isList, type QueryValue, toAttributeValue } from "./query-value.ts";
import type { SpanView, TraceView } from "./trace-view.ts";

/** Fields that an answer contains for every span or trace in any case. */
const shownAnyway: ReadonlySet<string> = new Set([
  ...["name", "duration", "span:id", "trace:id", "resource.service.name"],
  ...["traceDuration", "rootName", "rootServiceName"],
]);

/** This field is shown if the query selects it, although Tempo omits it: other fields have only whole milliseconds. */
const shownOnceSelected = "traceDuration";

/**
 * Name of an attribute in answers: without scope, as in Tempo. Fields of the parent keep their prefix, so that users do
 * not confuse them with fields of the span.
 */
function shownName(key: string, field: Field): string {
  return field.type === "attribute" && !field.ofParent ? field.name : key;
}

/** Runs a search on traces, one after the other. */
export class TraceMatcher {
  readonly #evaluate: PipelineEvaluator;
  readonly #shown: readonly (readonly [key: string, field: Field, read: FieldEvaluator])[];
  readonly #spansPerSpanset: number;

  constructor(
    query: Extract<TraceQlQuery, { type: "search" }>,
    fields: QueryFields,
    spansPerSpanset: number,
  ) {
    this.#evaluate = pipelineEvaluator(query.pipeline, fields);
    this.#spansPerSpanset = spansPerSpanset;
    this.#shown = [...fields.named]
      .filter(([key]) => !shownAnyway.has(key) || (key === shownOnceSelected && fields.selected.has(key)))
      .map(([key, field]) => [shownName(key, field), field, fieldReader(field, fields)]);
  }

  /** The spansets of a trace; empty when the trace does not match. */
  setsOf(trace: TraceView): readonly Spanset[] {
    return this.#evaluate(allSpans(trace));
  }

  match(trace: TraceView, sets: readonly Spanset[]): TraceQlMatch {
    const { root, traceId, startUnixNano, durationNano } = trace;
    return {
      ...{ traceId, startUnixNano, durationNano },
      rootServiceName: root?.facts.service ?? "",
      rootTraceName: root?.facts.name ?? "",
      serviceStats: serviceStatsOf(trace),
      spanSets: sets.map((set) => this.#spanSet(set)),
    };
  }

  #spanSet({ spans, attributes }: Spanset): TraceQlSpanSet {
    return {
      matched: spans.length,
      attributes: attributes.map(([key, value]) => [key, toAttributeValue(value)]),
      spans: spans.slice(0, this.#spansPerSpanset).map((span) => this.#span(span)),
    };
  }

  #span(span: SpanView): TraceQlSpan {
    const { spanId, name, service, startUnixNano, durationNano } = span.facts;
    const attributes: TraceQlAttribute[] = [["service.name", { type: "string", value: service }]];
    const last = new Map<string, QueryValue>();
    for (const [key, field, read] of this.#shown) {
      const value = read(span);
      // `.a` and `span.a` often have the same value, which is then shown once.
      if (value === undefined || last.get(key) === value) {
        continue;
      }
      last.set(key, value);
      attributes.push([key, shownValue(field, value)]);
    }
    return { spanId, name, startUnixNano, durationNano, attributes };
  }
}

/** A value in answers; durations become texts, as in Tempo. */
export function shownValue(field: Field, value: QueryValue): AttributeValue {
  if (field.type !== "intrinsic" || intrinsicType(field.name) !== "duration") {
    return toAttributeValue(value);
  }
  if (isList(value)) {
    return { type: "array", value: value.map((one) => shownValue(field, one)) };
  }
  return typeof value === "bigint" ? { type: "string", value: durationText(value) } : toAttributeValue(value);
}

/** Start of the newest span; answers are ordered by it. */
export function newestStart(sets: readonly Spanset[]): bigint {
  let newest: bigint | undefined;
  for (const { spans } of sets) {
    for (const { facts } of spans) {
      if (newest === undefined || facts.startUnixNano > newest) {
        newest = facts.startUnixNano;
      }
    }
  }
  return newest ?? 0n;
}

function serviceStatsOf({ spans }: TraceView): Map<string, TraceQlServiceStats> {
  const stats = new Map<string, TraceQlServiceStats>();
  for (const { facts } of spans) {
    const { spanCount = 0, errorCount = 0 } = stats.get(facts.service) ?? {};
    stats.set(facts.service, {
      spanCount: spanCount + 1,
      errorCount: errorCount + (facts.status === "error" ? 1 : 0),
    });
  }
  return stats;
}
