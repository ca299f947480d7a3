import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1";

/** Schema of a note, in answers and in saved pages. */
export const noteSchema = z.object({
  /** Id of the note, needed for its removal. */
  id: z.string(),
  /** Id of the span; "" for a note on the whole trace. */
  spanId: z.string(),
  /** Plain text of the note. */
  text: z.string(),
  /** The name that the author typed; it is not verified. */
  author: z.string(),
  /** Time of writing, in milliseconds since 1970. */
  written: z.int(),
});
/** The answer of `GET /notes`. */
const notes = z.object({ notes: z.array(noteSchema) });

/** A note on a span or a trace, visible to everyone in the tenant. */
export type TraceNote = z.infer<typeof noteSchema>;

/** Notes of a trace, the oldest first; null when the query service stores no notes, which is not a failure. */
export function notesQuery(traceId: string) {
  return queryOptions({
    queryKey: ["notes", traceId],
    queryFn: async ({ signal }): Promise<readonly TraceNote[] | null> => {
      const path = `${base}/notes?${new URLSearchParams({ traceId })}`;
      const answer = await readJson(path, notes, signal).catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 501 || error.status === 404)) {
          return null;
        }
        throw error;
      });
      return answer?.notes ?? null;
    },
  });
}

/** Adds a note for everyone. @param note with an empty `spanId` for the whole trace @throws ApiError */
export async function addNote(
  traceId: string,
  note: Pick<TraceNote, "spanId" | "text" | "author">,
): Promise<void> {
  await post("notes", noteSchema, { traceId, ...note });
}

/** Removes a note for everyone. @throws ApiError */
export async function removeNote(traceId: string, id: string): Promise<void> {
  await post("notes/remove", z.object({ id: z.string() }), { traceId, id });
}

/** Sends a change. The request is not aborted when the page changes, so that no note is lost. */
function post<T>(path: string, schema: Parameters<typeof readJson<T>>[1], body: unknown): Promise<T> {
  return readJson(`${base}/${path}`, schema, new AbortController().signal, JSON.stringify(body));
}
