import type { PackedTrace, SpanList } from "storage/api";
import type { ApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";
import { type ApiTrace, toApiTrace } from "../api-trace.ts";
import { type AdjustOptions, adjustTrace } from "./adjust-trace.ts";
import { type ClockPlan, planClocks } from "./clock-plan.ts";
import { applyDelta, warnOfMissingParent } from "./clock-skew.ts";
import { showIpTags } from "./ip-tags.ts";
import { putParentFirst, removeBadReferences } from "./references.ts";
import { moveSdkTags } from "./sdk-tags.ts";
import { sortTagsAndFields } from "./sorting.ts";

/** Spans that are objects at a time; a millisecond of work. */
const spansPerBatch = 64;

/**
 * The spans of a trace in the older model, some at a time, changed as `adjustTrace` does it. Only where spans share an id
 * must all of them be there as objects at once: whether one repeats another, or is the other side of its call, takes both.
 * @param options undefined: as they were sent
 */
export async function* adjustedSpans(
  trace: PackedTrace,
  options: AdjustOptions | undefined,
): AsyncGenerator<readonly ApiV2Span[]> {
  const { traceId, spans } = trace;
  if (options === undefined) {
    for (const batch of batches(traceId, spans)) yield batch.spans;
    return;
  }
  const plan = await planClocks(spans, options.maxClockSkewNano);
  if (plan === undefined) {
    yield* adjustedTogether(trace, options);
    return;
  }
  let first = 0;
  for (const batch of batches(traceId, spans)) {
    adjustBatch(batch, first, plan, options);
    yield batch.spans;
    first += batch.spans.length;
  }
}

/** The steps of `adjustTrace`, but for those that concern spans of one id. */
function adjustBatch(
  batch: ApiTrace,
  first: number,
  plan: ClockPlan,
  { maxClockSkewNano }: AdjustOptions,
): void {
  showIpTags(batch);
  moveSdkTags(batch);
  sortTagsAndFields(batch);
  for (const [offset, span] of batch.spans.entries()) {
    const missing = plan.missingParent(first + offset);
    if (missing !== undefined) warnOfMissingParent(span, missing);
    applyDelta(span, plan.deltaNano(first + offset), maxClockSkewNano);
  }
  removeBadReferences(batch);
  putParentFirst(batch);
}

function* adjustedTogether({ traceId, spans }: PackedTrace, options: AdjustOptions): Generator<ApiV2Span[]> {
  const whole = toApiTrace({ traceId, spans: listed(spans, 0, spans.length) });
  adjustTrace(whole, options);
  // The last first, which can be taken out cheaply: what is sent need not be held until a slow client has it all.
  const rest = whole.spans.reverse();
  while (rest.length > 0) yield rest.splice(-spansPerBatch).reverse();
}

function* batches(traceId: string, spans: SpanList): Generator<ApiTrace> {
  for (let first = 0; first < spans.length; first += spansPerBatch) {
    yield toApiTrace({ traceId, spans: listed(spans, first, Math.min(first + spansPerBatch, spans.length)) });
  }
}

function listed(spans: SpanList, first: number, end: number): Span[] {
  return Array.from({ length: end - first }, (_, offset) => spans.at(first + offset) as Span);
}
