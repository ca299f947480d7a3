import type { TraceNote } from "../../../api/notes.ts";

/** The notes on each span by its id, without zeros in front; those on the trace have the id "". */
export function notesBySpan(notes: readonly TraceNote[]): ReadonlyMap<string, readonly TraceNote[]> {
  return Map.groupBy(notes, ({ spanId }) => spanKey(spanId));
}

/** An id as `notesBySpan` has it: traces have ids with and without zeros in front. */
export function spanKey(spanId: string): string {
  return spanId.replace(/^0+/, "");
}
