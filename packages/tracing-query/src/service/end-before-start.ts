import { toApiV2Span } from "wire/api-v2/to-api-v2-span";
import type { Span as ApiV2Span } from "wire/api-v2-model";
import type { Span } from "wire/model";

/**
 * A span in the older model, for display. That model has a start and a duration, and no reader expects a
 * negative duration. A span that ends before it starts has duration 0, and a warning gives the difference.
 */
export function toShownSpan(span: Span): ApiV2Span {
  const shown = toApiV2Span(span);
  if (span.durationNano >= 0n) {
    return shown;
  }
  shown.duration = { seconds: 0n, nanos: 0 };
  shown.warnings = [...shown.warnings, endsEarly(span.durationNano)];
  return shown;
}

/** Warns of a negative duration, in nanoseconds. */
function endsEarly(durationNano: bigint): string {
  return `the span ends ${-durationNano} ns before it starts: its duration is shown as 0`;
}
