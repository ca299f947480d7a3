import type { PartialAnswer, TraceQlMatch, TraceQlSearch, TraceQlSpan, TraceQlSpanSet } from "storage/api";
import { partialText } from "../service/partial-text.ts";
import { keyValueJson } from "./any-value-json.ts";

/** Tempo's text for a trace without a root span. */
const noRoot = "<root span not yet received>";

/** Tempo's field is an unsigned 32-bit integer. */
const maxDurationMs = 0xffffffffn;

/** A `SearchResponse`, in pieces. Source: Tempo's tempo.proto, and its documentation of the API */
export function* searchJson(
  { traces, inspectedSpans }: TraceQlSearch,
  partial?: PartialAnswer,
): Generator<string> {
  yield '{"traces":[';
  let separator = "";
  for (const trace of traces) {
    yield separator + JSON.stringify(traceOf(trace));
    separator = ",";
  }
  const metrics = metricsJson(inspectedSpans, traces.length, partial);
  yield `],${JSON.stringify({ metrics, ...partialStatus(partial) }).slice(1)}`;
}

/** Status of a partial answer. Tempo has a status for traces and series, but only counters for searches. */
export function partialStatus(partial: PartialAnswer | undefined): object {
  return partial === undefined ? {} : { status: "PARTIAL", message: partialText(partial) };
}

/**
 * Counters of a search in Tempo's form: all data is one job, and each missing part is a job that did not
 * complete.
 */
export function jobsOf(partial: PartialAnswer | undefined): { completedJobs: number; totalJobs: number } {
  return { completedJobs: 1, totalJobs: 1 + (partial?.reasons.length ?? 0) };
}

/** Tempo's counters, without the counters that our store lacks. */
export function metricsJson(
  inspectedSpans: number,
  inspectedTraces?: number,
  partial?: PartialAnswer,
): object {
  return {
    ...(inspectedTraces === undefined ? {} : { inspectedTraces }),
    inspectedSpans: String(inspectedSpans),
    ...jobsOf(partial),
  };
}

/** Service of the root span, or Tempo's text when there is no root span. */
export function rootServiceOf({ rootServiceName }: TraceQlMatch): string {
  return rootServiceName || noRoot;
}

/** Whole milliseconds, at most 32 bits. */
export function durationMsOf({ durationNano }: TraceQlMatch): number {
  const durationMs = durationNano / 1_000_000n;
  return Number(durationMs < 0n ? 0n : durationMs > maxDurationMs ? maxDurationMs : durationMs);
}

function traceOf(trace: TraceQlMatch): object {
  const [first] = trace.spanSets;
  return {
    traceID: trace.traceId,
    rootServiceName: rootServiceOf(trace),
    ...(trace.rootTraceName === "" ? {} : { rootTraceName: trace.rootTraceName }),
    startTimeUnixNano: String(trace.startUnixNano),
    durationMs: durationMsOf(trace),
    // For older versions of Grafana.
    ...(first === undefined ? {} : { spanSet: spanSetOf(first) }),
    spanSets: trace.spanSets.map(spanSetOf),
    serviceStats: Object.fromEntries(
      [...trace.serviceStats].map(([service, { spanCount, errorCount }]) => [
        service,
        { spanCount, ...(errorCount === 0 ? {} : { errorCount }) },
      ]),
    ),
  };
}

function spanSetOf({ matched, spans, attributes }: TraceQlSpanSet): object {
  return {
    spans: spans.map(spanOf),
    matched,
    ...(attributes.length === 0 ? {} : { attributes: attributes.map(keyValueJson) }),
  };
}

function spanOf({ spanId, name, startUnixNano, durationNano, attributes }: TraceQlSpan): object {
  return {
    spanID: spanId,
    ...(name === "" ? {} : { name }),
    startTimeUnixNano: String(startUnixNano),
    durationNanos: String(durationNano < 0n ? 0n : durationNano),
    ...(attributes.length === 0 ? {} : { attributes: attributes.map(keyValueJson) }),
  };
}
