import type { PackedTrace } from "storage/api";
import type { Span as ApiV2Span } from "wire/api-v2-model";
import type { Span } from "wire/model";
import { type ApiTrace, toApiTrace } from "../api-trace.ts";
import { spansInParts, spansOf } from "../spans-of.ts";
import { adjustClockSkew, applyDelta, warnOfMissingParent } from "./clock-skew.ts";
import { putParentFirst, removeBadReferences } from "./references.ts";
import { giveUniqueSpanIds, removeDuplicateSpans } from "./repeated-span-ids.ts";
import { moveSdkTags, showIpTags } from "./tag-adjusters.ts";
import { sortTagsAndFields } from "./tag-order.ts";

/** Settings of the adjusters. */
export interface AdjustOptions {
  /** Largest clock correction in nanoseconds; 0 disables the correction. */
  readonly maxClockSkewNano: bigint;
}

/**
 * Prepares a stored trace for display. Changes `trace` itself.
 *
 * The steps follow Jaeger's release 1.62, but duplicates are removed before ids and clocks
 * change. In Jaeger a changed id or a clock warning makes a duplicate differ from its original,
 * so the duplicate stays.
 */
export function adjustTrace(trace: ApiTrace, { maxClockSkewNano }: AdjustOptions): void {
  showIpTags(trace);
  moveSdkTags(trace);
  sortTagsAndFields(trace); // First, because duplicates may differ in the order of their tags.
  removeDuplicateSpans(trace);
  giveUniqueSpanIds(trace);
  adjustClockSkew(trace, maxClockSkewNano);
  removeBadReferences(trace);
  putParentFirst(trace);
}

/** Maximum number of spans in a batch. Converting a batch to objects takes about a millisecond. */
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

/** All spans of a trace, adjusted by `adjustTrace`, in batches. A batch is released when the caller takes it. */
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
