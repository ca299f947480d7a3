import type { PackedTrace } from "storage/api";
import type { Span as ApiV2Span } from "wire/api-v2-model";
import type { Span } from "wire/model";
import { toApiTrace } from "../api-trace.ts";
import { spansInParts, spansOf } from "../spans-of.ts";
import { type AdjustOptions, adjustTrace } from "./adjust-trace.ts";
import { applyDelta, warnOfMissingParent } from "./clock-skew.ts";
import { showIpTags } from "./ip-tags.ts";
import { putParentFirst, removeBadReferences } from "./references.ts";
import { moveSdkTags } from "./sdk-tags.ts";
import { sortTagsAndFields } from "./sorting.ts";

/** Spans that are objects at the same time; about a millisecond of work. */
const spansPerBatch = 64;

/** The part of a `ClockPlan` that concerns one span. */
export interface SpanClock {
  /** Nanoseconds by which the clock is corrected. */
  readonly deltaNano: bigint;
  /** The id, in hex, of a parent that the trace lacks. */
  readonly missingParent: string | undefined;
}

/**
 * Converts a span to the older model and adjusts it as `adjustTrace` does, without the steps for repeated
 * ids.
 */
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
  if (missingParent !== undefined) {
    warnOfMissingParent(adjusted, missingParent);
  }
  applyDelta(adjusted, deltaNano, maxClockSkewNano);
  removeBadReferences(trace);
  putParentFirst(trace);
  return adjusted;
}

/** All spans of a trace, adjusted by `adjustTrace`, in batches; each batch is released when it is taken. */
export function* adjustedTogether(
  { traceId, spans }: PackedTrace,
  options: AdjustOptions,
): Generator<readonly ApiV2Span[]> {
  const whole = toApiTrace({ traceId, spans: [...spansOf(spans)] });
  adjustTrace(whole, options);
  // Reversed, because removing the last element is cheap. Sent spans are released, even when the client is
  // slow.
  const rest = whole.spans.reverse();
  while (rest.length > 0) {
    yield rest.splice(-spansPerBatch).reverse();
  }
}

/** The stored spans of a trace in the older model, in batches. */
export function* sentSpans({ traceId, spans }: PackedTrace): Generator<readonly ApiV2Span[]> {
  for (const part of spansInParts(spans, spansPerBatch)) {
    yield toApiTrace({ traceId, spans: part }).spans;
  }
}
