import type { Trace } from "storage/api";
import { toApiV2Span } from "wire/api-v2/to-api-v2-span";
import type { Span as ApiV2Span, Process } from "wire/api-v2-model";
import type { Resource, Span } from "wire/model";

/**
 * A trace in the older model, for the adjusters and the UI's JSON. Spans may share a process object: to
 * change the process of one span, give that span a new object.
 */
export interface ApiTrace {
  spans: ApiV2Span[];
  /** Warnings about the trace as a whole. */
  warnings: string[];
}

/** Converts a trace to the older model. The result shares no objects with `trace`, so callers may change the result. */
export function toApiTrace(trace: Trace): ApiTrace {
  // Spans of one sender share their resource. A shared process saves the adjusters most of their work.
  const processes = new Map<Resource, Process>();
  const spans = trace.spans.map((span) => {
    const apiSpan = toShownSpan(span);
    const known = processes.get(span.resource);
    if (known !== undefined) {
      apiSpan.process = known;
    } else if (apiSpan.process !== undefined) {
      processes.set(span.resource, apiSpan.process);
    }
    return apiSpan;
  });
  return { spans, warnings: [] };
}

/**
 * A span in the older model, for display. The older model has a start and a duration, and no reader expects a
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
