import type { PackedTrace, SpanList } from "storage/api";
import type { ApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";
import { toApiTrace } from "../api-trace.ts";
import { type AdjustOptions, adjustTrace } from "./adjust-trace.ts";
import { applyDelta, warnOfMissingParent } from "./clock-skew.ts";
import { showIpTags } from "./ip-tags.ts";
import { putParentFirst, removeBadReferences } from "./references.ts";
import { moveSdkTags } from "./sdk-tags.ts";
import { sortTagsAndFields } from "./sorting.ts";

/** Spans that are objects at a time; a millisecond of work. */
const spansPerBatch = 64;

/** What a `ClockPlan` says about a span. */
export interface SpanClock {
  /** By how much it is off, in nanoseconds. */
  readonly deltaNano: bigint;
  /** The id, in hex, of a parent that is not there. */
  readonly missingParent: string | undefined;
}

/** A span in the older model, changed as `adjustTrace` does it but for what concerns spans of one id. */
export function adjustedSpan(
  span: Span,
  { deltaNano, missingParent }: SpanClock,
  { maxClockSkewNano }: AdjustOptions,
): ApiV2Span {
  const trace = toApiTrace({ traceId: span.traceId, spans: [span] });
  showIpTags(trace);
  moveSdkTags(trace);
  sortTagsAndFields(trace);
  const adjusted = trace.spans[0] as ApiV2Span;
  if (missingParent !== undefined) warnOfMissingParent(adjusted, missingParent);
  applyDelta(adjusted, deltaNano, maxClockSkewNano);
  removeBadReferences(trace);
  putParentFirst(trace);
  return adjusted;
}

/** All spans of a trace as `adjustTrace` changes them, some at a time: they are let go as they are taken. */
export function* adjustedTogether(
  { traceId, spans }: PackedTrace,
  options: AdjustOptions,
): Generator<readonly ApiV2Span[]> {
  const whole = toApiTrace({ traceId, spans: listed(spans, 0, spans.length) });
  adjustTrace(whole, options);
  // The last first, which can be taken out cheaply: what is sent need not be held until a slow client has it all.
  const rest = whole.spans.reverse();
  while (rest.length > 0) yield rest.splice(-spansPerBatch).reverse();
}

/** The spans of a trace in the older model as they were sent, some at a time. */
export function* sentSpans({ traceId, spans }: PackedTrace): Generator<readonly ApiV2Span[]> {
  for (let first = 0; first < spans.length; first += spansPerBatch) {
    const end = Math.min(first + spansPerBatch, spans.length);
    yield toApiTrace({ traceId, spans: listed(spans, first, end) }).spans;
  }
}

function listed(spans: SpanList, first: number, end: number): Span[] {
  return Array.from({ length: end - first }, (_, offset) => spans.at(first + offset) as Span);
}
