import type { Trace } from "storage/api";
import type { ApiV2Span } from "wire/api-v2";
import type { Span, SpanKind } from "wire/model";
import { type AdjustOptions, adjustTrace } from "./adjusters/adjust-trace.ts";
import { toApiTrace } from "./api-trace.ts";
import { parentReference } from "./span-facts.ts";
import { nanosOf } from "./span-time.ts";

/** What analysis needs of a span, with the ids and times that `GET /api/traces/{id}` shows. */
export interface ShownSpan {
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** The same, or "" for a root. */
  readonly parentSpanId: string;
  readonly service: string;
  readonly operation: string;
  readonly spanKind: SpanKind;
  readonly startTimeUnixNano: bigint;
  readonly durationNano: bigint;
  readonly hasError: boolean;
}

type IdsAndTimes = Pick<ShownSpan, "spanId" | "parentSpanId" | "startTimeUnixNano" | "durationNano">;

/**
 * The spans of a trace as they are shown: adjusters give spans that share an id ids of their own, remove duplicates and
 * correct clocks. A trace that none of this concerns is taken as it is, which costs much less.
 */
export function shownSpans({ traceId, spans }: Trace, options: AdjustOptions): ShownSpan[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  if (ids.size === spans.length && options.maxClockSkewNano === 0n) {
    return spans.map((span) => shownSpan(span, span));
  }
  const apiTrace = toApiTrace({ traceId, spans });
  const modelOf = new Map<ApiV2Span, Span>();
  for (const [index, apiSpan] of apiTrace.spans.entries()) {
    modelOf.set(apiSpan, spans[index] as Span);
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
    durationNano: facts.durationNano,
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
