import type { Trace } from "storage/api";
import type { Span as ApiV2Span, Process } from "wire/api-v2-model";
import type { Resource } from "wire/model";
import { toShownSpan } from "./end-before-start.ts";

/**
 * A trace in the older model, for the adjusters and the UI's JSON. Spans may share a process object: to
 * change the process of one span, give that span a new object.
 */
export interface ApiTrace {
  spans: ApiV2Span[];
  /** Warnings about the trace as a whole. */
  warnings: string[];
}

/** Converts a trace to the older model. The result shares nothing with `trace`, so callers may change it. */
export function toApiTrace(trace: Trace): ApiTrace {
  // Spans of one sender share their resource. Sharing the process too saves the adjusters most of their work.
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
