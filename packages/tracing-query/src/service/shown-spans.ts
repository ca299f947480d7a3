import type { PackedTrace } from "storage/api";
import { nextTurn } from "storage/next-turn";
import type { ApiV2Span } from "wire/api-v2";
import { lengthNano, type Span, type SpanKind } from "wire/model";
import { type AdjustOptions, adjustTrace } from "./adjusters/adjust-trace.ts";
import { planClocks } from "./adjusters/clock-plan.ts";
import { toApiTrace } from "./api-trace.ts";
import { parentReference } from "./span-facts.ts";
import { nanosOf } from "./span-time.ts";

/** The fields of a span that analysis needs, with the ids and times that `GET /api/traces/{id}` shows. */
export interface ShownSpan {
  /** Span id, 16 lower-case hex digits. */
  readonly spanId: string;
  /** Id of the parent, 16 lower-case hex digits; "" for a root. */
  readonly parentSpanId: string;
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  readonly startTimeUnixNano: bigint;
  readonly durationNano: bigint;
  readonly hasError: boolean;
}

type IdsAndTimes = Pick<ShownSpan, "spanId" | "parentSpanId" | "startTimeUnixNano" | "durationNano">;

const minuteNano = 60_000_000_000n;

/** Number of spans to read before other requests get a turn; a millisecond or two of work. */
const spansPerTurn = 1_000;

/**
 * The spans of a trace as shown: adjusters separate spans that share an id, remove duplicates and correct
 * clocks. All spans are unpacked at once only when spans share an id, or a time is more than 73 years from 1970.
 */
export async function shownSpans(trace: PackedTrace, options: AdjustOptions): Promise<ShownSpan[]> {
  const { spans } = trace;
  const shown: ShownSpan[] = [];
  const ids = new Set<string>();
  for (let index = 0; index < spans.length; index++) {
    const span = spans.at(index) as Span;
    ids.add(span.spanId);
    shown.push(shownSpan(span, span));
    if (index % spansPerTurn === spansPerTurn - 1) {
      await nextTurn();
    }
  }
  const { maxClockSkewNano } = options;
  if (ids.size < shown.length) {
    return adjustedTogether(trace, options);
  }
  if (maxClockSkewNano === 0n) {
    return shown;
  }
  const plan = await planClocks(spans, maxClockSkewNano);
  if (plan === undefined) {
    return adjustedTogether(trace, options);
  }
  return shown.map((span, index) => {
    const delta = plan.deltaNano(index);
    const isApplied = delta !== 0n && (delta < 0n ? -delta : delta) <= maxClockSkewNano;
    return isApplied ? { ...span, startTimeUnixNano: span.startTimeUnixNano + delta } : span;
  });
}

/** The end of the minute in which the last span starts, in milliseconds since the Unix epoch. */
export function endOfLastMinuteMs(spans: readonly ShownSpan[]): number {
  let last = spans[0]?.startTimeUnixNano ?? 0n;
  for (const { startTimeUnixNano } of spans) {
    if (startTimeUnixNano > last) {
      last = startTimeUnixNano;
    }
  }
  return Number(last / minuteNano + 1n) * 60_000;
}

function adjustedTogether({ traceId, spans }: PackedTrace, options: AdjustOptions): ShownSpan[] {
  const models = Array.from({ length: spans.length }, (_, index) => spans.at(index) as Span);
  const apiTrace = toApiTrace({ traceId, spans: models });
  const modelOf = new Map<ApiV2Span, Span>();
  for (const [index, apiSpan] of apiTrace.spans.entries()) {
    modelOf.set(apiSpan, models[index] as Span);
  }
  adjustTrace(apiTrace, options);
  return apiTrace.spans.flatMap((apiSpan) => {
    const span = modelOf.get(apiSpan);
    return span === undefined ? [] : [shownSpan(span, adjustedFacts(apiSpan))];
  });
}

function shownSpan({ resource, name, kind, status }: Span, facts: IdsAndTimes): ShownSpan {
  return {
    spanId: facts.spanId,
    parentSpanId: facts.parentSpanId,
    service: resource.serviceName,
    operation: name,
    spanKind: kind,
    startTimeUnixNano: facts.startTimeUnixNano,
    durationNano: lengthNano(facts),
    hasError: status.code === "error",
  };
}

function adjustedFacts(span: ApiV2Span): IdsAndTimes {
  return {
    spanId: span.spanId.toString("hex"),
    parentSpanId: parentReference(span)?.spanId.toString("hex") ?? "",
    startTimeUnixNano: nanosOf(span.startTime),
    durationNano: nanosOf(span.duration),
  };
}
