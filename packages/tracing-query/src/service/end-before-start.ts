import { type ApiV2Span, toApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";

/**
 * The span in the older model, as people see it. The older model has a start and a duration, and no reader expects a
 * negative one: a span that ends before it starts has lasted for 0, and a warning says by how much its end came too early.
 */
export function toShownSpan(span: Span): ApiV2Span {
  const shown = toApiV2Span(span);
  if (span.durationNano >= 0n) return shown;
  shown.duration = { seconds: 0n, nanos: 0 };
  shown.warnings = [...shown.warnings, endsEarly(span.durationNano)];
  return shown;
}

/** Warns of a negative duration, in nanoseconds. */
function endsEarly(durationNano: bigint): string {
  return `the span ends ${-durationNano} ns before it starts: its duration is shown as 0`;
}
