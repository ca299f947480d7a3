import type {
  PartialAnswer,
  TraceQlExemplar,
  TraceQlMetrics,
  TraceQlSample,
  TraceQlSeries,
} from "storage/api";
import { adjustedFieldsOf, roundedCount } from "../http/adjusted-json.ts";
import { partialText } from "../service/partial-text.ts";
import { doubleJson, keyValueJson } from "./any-value-json.ts";
import { metricsJson } from "./search-json.ts";

/**
 * A `QueryRangeResponse`, in pieces.
 * @param maxExemplars limit for all series together; each series keeps at least one. Source: Tempo's
 *   tempo.proto
 */
export function rangeJson(
  metrics: TraceQlMetrics,
  maxExemplars = Infinity,
  partial?: PartialAnswer,
): Generator<string> {
  const perSeries = exemplarsPerSeries(metrics, maxExemplars);
  return responseJson(metrics, partial, (one) => rangeSeriesOf(one, perSeries));
}

/** @param maxExemplars limit for all series together */
export function exemplarsPerSeries({ series }: TraceQlMetrics, maxExemplars: number): number {
  return Math.max(1, Math.floor(maxExemplars / series.length));
}

/** Picks `most` items, evenly spread. */
export function someOf<T>(items: readonly T[], most: number): T[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => index % every === 0);
}

/** A `QueryInstantResponse`: the last value of each series. Source: Tempo's tempo.proto */
export function instantJson(metrics: TraceQlMetrics, partial?: PartialAnswer): Generator<string> {
  return responseJson(metrics, partial, instantSeriesOf);
}

function* responseJson(
  found: TraceQlMetrics,
  partial: PartialAnswer | undefined,
  seriesOf: (one: TraceQlSeries) => object,
): Generator<string> {
  const { series, inspectedSpans } = found;
  yield '{"series":[';
  let separator = "";
  for (const one of series) {
    yield separator + JSON.stringify(seriesOf(one));
    separator = ",";
  }
  const message = shortcoming(found, partial);
  const metrics = { ...metricsJson(inspectedSpans, undefined, partial), ...adjustedJson(found) };
  const status = message === "" ? {} : { status: "PARTIAL", message };
  yield `],${JSON.stringify({ metrics, ...status }).slice(1)}`;
}

/** The totals of a query `with(adjusted=true)`; Tempo has no such member. */
function adjustedJson({ adjusted }: TraceQlMetrics): object {
  if (adjusted === undefined) {
    return {};
  }
  const { spans, adjusted: standFor } = adjusted;
  return { adjusted: { spans, standFor: roundedCount(standFor), ...adjustedFieldsOf(adjusted) } };
}

/** The reason why series are missing or incomplete; "" when they are complete. */
export function shortcoming(
  { series, truncated }: TraceQlMetrics,
  partial: PartialAnswer | undefined,
): string {
  const texts = [
    truncated ? `more than ${series.length} series` : "",
    partial === undefined ? "" : partialText(partial),
  ];
  return texts.filter((text) => text !== "").join("; ");
}

function rangeSeriesOf({ labels, samples, exemplars }: TraceQlSeries, maxExemplars: number): object {
  const shown = someOf(exemplars, maxExemplars);
  return {
    labels: labels.map(keyValueJson),
    samples: samples.map(sampleOf),
    ...(shown.length === 0 ? {} : { exemplars: shown.map(exemplarOf) }),
  };
}

function instantSeriesOf({ labels, samples }: TraceQlSeries): object {
  return { labels: labels.map(keyValueJson), value: doubleJson(samples.at(-1)?.value ?? 0) };
}

function sampleOf({ unixNano, value }: TraceQlSample): object {
  return { timestampMs: String(unixNano / 1_000_000n), value: doubleJson(value) };
}

function exemplarOf({ traceId, spanId, unixNano, value }: TraceQlExemplar): object {
  return {
    labels: [
      { key: "trace:id", value: { stringValue: traceId } },
      { key: "span:id", value: { stringValue: spanId } },
    ],
    value: doubleJson(value),
    timestampMs: String(unixNano / 1_000_000n),
  };
}
