import type { PackedTrace, ReadOptions, SpanReader } from "storage/api";

/** A span that represents the spans of its series. */
export interface SpanExemplar {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly durationMs: number;
  /** Start of the span in milliseconds since the Unix epoch. */
  readonly startUnixMs: number;
}

/** Maximum number of traces that give exemplars to a push, and of spans of each. Higher limits make the read slow. */
const mostTraces = 20;
const mostSpans = 1_000;

/** Maximum number of exemplars of one series in one push. */
const mostOfSeries = 4;

/** Times in milliseconds since the Unix epoch. */
export interface ExemplarTimes {
  readonly afterUnixMs: number;
  readonly untilUnixMs: number;
}

/** Key by which a counter and a span belong to the same series. */
export function seriesKey(labels: {
  readonly service: string;
  readonly operation: string;
  readonly spanKind: string;
  readonly failed: boolean;
}): string {
  return JSON.stringify([labels.service, labels.operation, labels.spanKind, labels.failed]);
}

/**
 * Spans of the newest traces, at most four of each series.
 * @param times spans start after `afterUnixMs` and until `untilUnixMs`, in milliseconds since the Unix epoch
 * @throws StorageError
 */
export async function newestExemplars(
  reader: SpanReader,
  times: ExemplarTimes,
  options: ReadOptions,
): Promise<Map<string, SpanExemplar[]>> {
  const query = {
    startTimeMinUnixNano: BigInt(Math.floor(times.afterUnixMs)) * 1_000_000n,
    limit: mostTraces,
  };
  const ids = await reader.findTraceIds(query, options);
  // An outline has no attributes, so large attributes are not read.
  const traces = await (reader.getOutlines?.(ids, options) ?? reader.getTraces(ids, options));
  const bySeries = new Map<string, SpanExemplar[]>();
  for (const trace of traces) {
    addSpans(bySeries, trace, times);
  }
  return bySeries;
}

function addSpans(
  bySeries: Map<string, SpanExemplar[]>,
  { spans }: PackedTrace,
  { afterUnixMs, untilUnixMs }: ExemplarTimes,
): void {
  for (let index = 0; index < Math.min(spans.length, mostSpans); index++) {
    const span = spans.at(index);
    if (span === undefined) {
      return;
    }
    const startUnixMs = Number(span.startTimeUnixNano / 1_000_000n);
    if (startUnixMs <= afterUnixMs || startUnixMs > untilUnixMs) {
      continue;
    }
    const key = seriesKey({
      service: span.resource.serviceName,
      operation: span.name,
      spanKind: span.kind,
      failed: span.status.code === "error",
    });
    const known = bySeries.get(key) ?? [];
    bySeries.set(key, known);
    if (known.length < mostOfSeries) {
      known.push({
        traceId: span.traceId,
        spanId: span.spanId,
        durationMs: Number(span.durationNano) / 1e6,
        startUnixMs,
      });
    }
  }
}
