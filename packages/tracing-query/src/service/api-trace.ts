import type { Trace } from "storage/api";
import type { ApiV2Span, Process } from "wire/api-v2";
import type { Resource } from "wire/model";
import { toShownSpan } from "./end-before-start.ts";

/**
 * A trace in the older model, as adjusters work on it and the UI's JSON shows it. Spans may share a process: who
 * changes the process of one span gives that span a new one.
 */
export interface ApiTrace {
  spans: ApiV2Span[];
  /** Warnings about the trace as a whole. */
  warnings: string[];
}

/** The trace in the older model. The result shares nothing with `trace`: whoever asked for it may change it. */
export function toApiTrace(trace: Trace): ApiTrace {
  // Spans of one sender share their resource; sharing the process too spares the adjusters most of their work.
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
