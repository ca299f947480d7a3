import type { ApiTrace } from "../trace/trace-schema.ts";

/** Traces that came out of files, by id. They are in no store: a reload forgets them. */
const opened = new Map<string, ApiTrace>();

/**
 * A trace out of a file; undefined for any other. Short ids are found by their padded form too, as the
 * query service pads them.
 */
export function openedTrace(traceId: string): ApiTrace | undefined {
  return opened.get(traceId.toLowerCase().padStart(32, "0")) ?? opened.get(traceId);
}

/** All traces out of files, in the order in which they were opened. */
export function openedTraces(): readonly ApiTrace[] {
  return [...opened.values()];
}

/** Keeps a trace that came out of a file until the page ends. */
export function keepOpened(trace: ApiTrace): void {
  opened.set(trace.traceID, trace);
}
