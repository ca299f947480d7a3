import type { PackedTrace, SpanList } from "storage/api";
import { nextTurn } from "storage/next-turn";
import { lengthNano, type Span, statusCodes } from "wire/model";
import type { AdjustOptions } from "./adjusters/adjust-trace.ts";
import { parentIdOf, planClocks } from "./adjusters/clock-plan.ts";
import { skewOutcome } from "./adjusters/clock-skew.ts";
import { spansOf } from "./spans-of.ts";

/** Number of spans to read before other requests get a turn; some milliseconds of work. */
const spansPerTurn = 8_000;

const errorStatus = statusCodes.indexOf("error");

/** Spans of one service in a trace. */
export interface ServiceSummary {
  readonly name: string;
  readonly spanCount: number;
  /** Number of spans whose own status is an error. */
  readonly errorSpanCount: number;
}

/**
 * A line in a list of traces: facts about the trace as a whole. Source: Jaeger 2.20, `TraceSummary`
 */
export interface TraceSummary {
  /** Trace id, 32 hex digits. */
  readonly traceId: string;
  /** Service of the earliest span without a parent; "" when every span names a parent. */
  readonly rootServiceName: string;
  /** Operation of this earliest span; "" when every span names a parent. */
  readonly rootOperationName: string;
  /** Earliest start and latest end of the spans after clock adjustment; nanoseconds since the Unix epoch. */
  readonly minStartTimeUnixNano: bigint;
  readonly maxEndTimeUnixNano: bigint;
  readonly spanCount: number;
  /** Number of spans whose own status is an error. */
  readonly errorSpanCount: number;
  /** Number of spans whose parent the trace lacks. Above 0 the trace is incomplete. */
  readonly orphanSpanCount: number;
  /** Sorted by name. */
  readonly services: readonly ServiceSummary[];
}

/** The fields of a span that a summary needs. */
interface SpanLine {
  readonly service: string;
  /** Start in nanoseconds since the Unix epoch, before clocks are adjusted. */
  readonly startNano: bigint;
  readonly lengthNano: bigint;
  /** True when the span's own status is an error. */
  readonly isError: boolean;
}

function lineOf(spans: SpanList, index: number): SpanLine {
  const fields = spans.fieldsAt?.(index);
  if (fields === undefined) {
    const span = spans.at(index) as Span;
    return {
      service: span.resource.serviceName,
      startNano: span.startTimeUnixNano,
      lengthNano: lengthNano(span),
      isError: span.status.code === "error",
    };
  }
  const { view, startAt, origin, status } = fields;
  return {
    service: origin.resource.serviceName,
    startNano: view.getBigInt64(startAt, true),
    lengthNano: lengthNano({ durationNano: view.getBigInt64(startAt + 8, true) }),
    isError: status === errorStatus,
  };
}

/** Roots, orphans and clock corrections of a trace's spans. */
interface Family {
  /** Nanoseconds that are added to the times of a span. */
  appliedNano(index: number): bigint;
  isRoot(index: number): boolean;
  isOrphan(index: number): boolean;
}

async function familyOf(spans: SpanList, maxClockSkewNano: bigint): Promise<Family> {
  const clocks = await planClocks(spans, maxClockSkewNano);
  if (clocks !== undefined) {
    return {
      appliedNano: (index) => skewOutcome(clocks.deltaNano(index), maxClockSkewNano).appliedNano,
      isRoot: (index) => clocks.isRoot(index),
      isOrphan: (index) => clocks.missingParent(index) !== undefined,
    };
  }
  // Spans share an id, or a time is more than 73 years from 1970: clocks are not corrected.
  const ids = new Set<string>();
  const parents: string[] = [];
  for (const span of spansOf(spans)) {
    ids.add(span.spanId);
    parents.push(parentIdOf(span));
  }
  return {
    appliedNano: () => 0n,
    isRoot: (index) => parents[index] === "",
    isOrphan: (index) => parents[index] !== "" && !ids.has(parents[index] as string),
  };
}

/** @param maxClockSkewNano see `AdjustOptions` */
export async function summarizeTrace(
  { traceId, spans }: PackedTrace,
  maxClockSkewNano: bigint,
): Promise<TraceSummary> {
  const family = await familyOf(spans, maxClockSkewNano);
  const services = new Map<string, { name: string; spanCount: number; errorSpanCount: number }>();
  let root = -1;
  let rootStart = 0n;
  let minStart: bigint | undefined;
  let maxEnd: bigint | undefined;
  let errorSpanCount = 0;
  let orphanSpanCount = 0;
  for (let index = 0; index < spans.length; index++) {
    const line = lineOf(spans, index);
    const start = line.startNano + family.appliedNano(index);
    const end = start + line.lengthNano;
    minStart = minStart === undefined || start < minStart ? start : minStart;
    maxEnd = maxEnd === undefined || end > maxEnd ? end : maxEnd;
    const service = services.get(line.service) ?? { name: line.service, spanCount: 0, errorSpanCount: 0 };
    services.set(line.service, service);
    service.spanCount++;
    if (line.isError) {
      service.errorSpanCount++;
      errorSpanCount++;
    }
    if (family.isOrphan(index)) {
      orphanSpanCount++;
    } else if (family.isRoot(index) && (root === -1 || start < rootStart)) {
      root = index;
      rootStart = start;
    }
    if (index % spansPerTurn === spansPerTurn - 1) {
      await nextTurn();
    }
  }
  const rootSpan = root === -1 ? undefined : spans.at(root);
  return {
    traceId,
    rootServiceName: rootSpan?.resource.serviceName ?? "",
    rootOperationName: rootSpan?.name ?? "",
    minStartTimeUnixNano: minStart ?? 0n,
    maxEndTimeUnixNano: maxEnd ?? 0n,
    spanCount: spans.length,
    errorSpanCount,
    orphanSpanCount,
    services: [...services.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  };
}

/** Summaries of traces, in their order. */
export async function summarizeTraces(
  traces: readonly PackedTrace[],
  { maxClockSkewNano }: AdjustOptions,
): Promise<TraceSummary[]> {
  const summaries: TraceSummary[] = [];
  for (const trace of traces) {
    summaries.push(await summarizeTrace(trace, maxClockSkewNano));
  }
  return summaries;
}
