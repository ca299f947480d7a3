import type { TraceNote } from "../../../api/notes.ts";

/** Notes by span id, without leading zeros. Notes on the trace itself have the id "". */
export function notesBySpan(notes: readonly TraceNote[]): ReadonlyMap<string, readonly TraceNote[]> {
  return Map.groupBy(notes, ({ spanId }) => spanKey(spanId));
}

/** The key of a span id in `notesBySpan`, without leading zeros: traces have ids with and without them. */
export function spanKey(spanId: string): string {
  return spanId.replace(/^0+/, "");
}
