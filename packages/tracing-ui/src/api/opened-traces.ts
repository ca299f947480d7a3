import type { ApiTrace } from "../trace/trace-schema.ts";

/** Traces from files, by id. They are in no store: a reload loses them. */
const opened = new Map<string, ApiTrace>();

/**
 * A trace from a file; undefined for any other. A short id also finds a trace whose id the query service has padded
 * with zeros.
 */
export function openedTrace(traceId: string): ApiTrace | undefined {
  return opened.get(traceId.toLowerCase().padStart(32, "0")) ?? opened.get(traceId);
}

/** All traces from files, in the order of opening. */
export function openedTraces(): readonly ApiTrace[] {
  return [...opened.values()];
}

/** Keeps a trace from a file until the page is closed. */
export function keepOpened(trace: ApiTrace): void {
  opened.set(trace.traceID, trace);
}
