import * as z from "zod/mini";
import { noteSchema } from "../../api/notes.ts";
import { apiTrace } from "../../trace/trace-schema.ts";

/** Id of the element of a saved page that holds the data. */
export const savedTraceId = "trace-data";

/** The schema of the data in a saved page. Older files must stay readable, so new fields must be optional. */
const savedTrace = z.object({
  trace: apiTrace,
  /** Percentile ranks of its spans among their peers, as known when the trace was saved. */
  peers: z.array(
    z.tuple([
      z.string(),
      z.object({
        percentile: z.number(),
        peers: z.number(),
        medianUs: z.number(),
        p95Us: z.number(),
        p99Us: z.number(),
      }),
    ]),
  ),
  /** The notes on the trace and its spans; absent in older files. */
  notes: z.optional(z.array(noteSchema)),
  /** The page's state: the search part of its address with the `?`, or "". */
  search: z.string(),
  /** Time of saving, in milliseconds since 1970. */
  savedAt: z.number(),
});

/** The content of a saved page. */
export type SavedTrace = z.infer<typeof savedTrace>;

/** The trace in this page; undefined when there is none, or when it is unreadable. */
export function readSavedTrace(): SavedTrace | undefined {
  const text = document.getElementById(savedTraceId)?.textContent;
  if (text === undefined || text === null) {
    return undefined;
  }
  try {
    const read = savedTrace.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** True when this page is a saved page, which has no server. */
export function isSavedPage(): boolean {
  return document.getElementById(savedTraceId) !== null;
}
