import type { Trace } from "storage/api";
import { type ApiV2Span, toApiV2Span } from "wire/api-v2";

/** A trace in the older model, as adjusters work on it and the UI's JSON shows it. */
export interface ApiTrace {
  spans: ApiV2Span[];
  /** Warnings about the trace as a whole. */
  warnings: string[];
}

/** The trace in the older model. The result shares nothing with `trace`: whoever asked for it may change it. */
export function toApiTrace(trace: Trace): ApiTrace {
  return { spans: trace.spans.map(toApiV2Span), warnings: [] };
}
