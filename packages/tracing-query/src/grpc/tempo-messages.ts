import type {
  PartialAnswer,
  TraceQlAttribute,
  TraceQlMatch,
  TraceQlMetrics,
  TraceQlSearch,
  TraceQlSeries,
  TraceQlSpanSet,
} from "storage/api";
import { attributeText } from "wire/rows";
import {
  type KeyValue,
  PartialStatus,
  type QueryInstantResponse,
  type QueryRangeResponse,
  type SearchMetrics,
  type SearchResponse,
  type SpanSet,
  type TraceSearchMetadata,
} from "wire/tempo";
import { exemplarsPerSeries, shortcoming, someOf } from "../tempo/metrics-json.ts";
import { durationMsOf, jobsOf, rootServiceOf } from "../tempo/search-json.ts";

/** Clients refuse messages over 4 MiB by default. */
// Traces in a message; more traces need several messages. A trace normally has few spans, but a client may request
// many.
const tracesPerMessage = 50;
// Series in a message; more series need several messages. A series has up to 11,000 samples.
const seriesPerMessage = 50;

/** The answer to a search, in one or more messages. */
export function* searchMessages(
  { traces, inspectedSpans }: TraceQlSearch,
  partial?: PartialAnswer,
): Generator<SearchResponse> {
  const metrics = metricsOf(inspectedSpans, traces.length, partial);
  for (const some of inParts(traces, tracesPerMessage)) {
    yield { traces: some.map(traceOf), metrics };
  }
}

/** Time series, in one or more messages. @param maxExemplars limit for all series together */
export function* rangeMessages(
  metrics: TraceQlMetrics,
  maxExemplars: number,
  partial?: PartialAnswer,
): Generator<QueryRangeResponse> {
  const perSeries = exemplarsPerSeries(metrics, maxExemplars);
  for (const some of inParts(metrics.series, seriesPerMessage)) {
    yield { series: some.map((one) => rangeSeriesOf(one, perSeries)), ...partsOf(metrics, partial) };
  }
}

/** One value of each series, in one or more messages. */
export function* instantMessages(
  metrics: TraceQlMetrics,
  partial?: PartialAnswer,
): Generator<QueryInstantResponse> {
  for (const some of inParts(metrics.series, seriesPerMessage)) {
    const series = some.map(({ labels, samples }) => ({
      labels: labels.map(keyValueOf),
      value: samples.at(-1)?.value ?? 0,
    }));
    yield { series, ...partsOf(metrics, partial) };
  }
}

/** Splits a list into parts. An empty list gives one empty part, because every answer needs at least one message. */
function* inParts<T>(items: readonly T[], length: number): Generator<readonly T[]> {
  for (let first = 0; first === 0 || first < items.length; first += length) {
    yield items.slice(first, first + length);
  }
}

/** Makes the fields that all metrics answers share. `message` has the reasons of a partial answer. */
function partsOf(found: TraceQlMetrics, partial: PartialAnswer | undefined) {
  const message = shortcoming(found, partial);
  return {
    metrics: metricsOf(found.inspectedSpans, 0, partial),
    status: message === "" ? PartialStatus.COMPLETE : PartialStatus.PARTIAL,
    message,
  };
}

function metricsOf(
  inspectedSpans: number,
  inspectedTraces: number,
  partial: PartialAnswer | undefined,
): SearchMetrics {
  return { inspectedTraces, inspectedSpans: BigInt(inspectedSpans), ...jobsOf(partial) };
}

/** One series with its samples. @param maxExemplars limit of example traces of this series */
function rangeSeriesOf({ labels, samples, exemplars }: TraceQlSeries, maxExemplars: number) {
  return {
    labels: labels.map(keyValueOf),
    samples: samples.map(({ unixNano, value }) => ({ timestampMs: unixNano / 1_000_000n, value })),
    exemplars: someOf(exemplars, maxExemplars).map(({ traceId, spanId, unixNano, value }) => ({
      labels: [textOf("trace:id", traceId), textOf("span:id", spanId)],
      timestampMs: unixNano / 1_000_000n,
      value,
    })),
  };
}

/** One trace of a search result. Only spans of its spansets are included. */
function traceOf(trace: TraceQlMatch): TraceSearchMetadata {
  const spanSets = trace.spanSets.map(spanSetOf);
  return {
    traceId: trace.traceId,
    rootServiceName: rootServiceOf(trace),
    rootTraceName: trace.rootTraceName,
    startTimeUnixNano: BigInt.asUintN(64, trace.startUnixNano),
    durationMs: durationMsOf(trace),
    spanSet: spanSets[0],
    spanSets,
    serviceStats: Object.fromEntries(trace.serviceStats),
  };
}

/** One spanset. Times before 1970 wrap around, as in Go's conversion. */
function spanSetOf({ spans, matched, attributes }: TraceQlSpanSet): SpanSet {
  return {
    spans: spans.map((span) => ({
      spanId: span.spanId,
      name: span.name,
      startTimeUnixNano: BigInt.asUintN(64, span.startUnixNano),
      durationNanos: span.durationNano < 0n ? 0n : span.durationNano,
      attributes: span.attributes.map(keyValueOf),
    })),
    matched,
    attributes: attributes.map(keyValueOf),
  };
}

/** Lists and maps become text. */
function keyValueOf([key, value]: TraceQlAttribute): KeyValue {
  switch (value.type) {
    case "empty":
      return textOf(key, "nil");
    case "bool":
      return { key, value: { value: { $case: "boolValue", value: value.value } } };
    case "int":
      return { key, value: { value: { $case: "intValue", value: value.value } } };
    case "double":
      return { key, value: { value: { $case: "doubleValue", value: value.value } } };
    default:
      return textOf(key, attributeText(value));
  }
}

function textOf(key: string, value: string): KeyValue {
  return { key, value: { value: { $case: "stringValue", value } } };
}
