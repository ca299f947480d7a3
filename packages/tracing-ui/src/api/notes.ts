import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1";

/** A note, in answers and in saved pages. */
export const noteSchema = z.object({
  /** Names the note for its removal. */
  id: z.string(),
  /** Empty for a note on the trace. */
  spanId: z.string(),
  /** The remark, plain text. */
  text: z.string(),
  /** The name that the author typed; it is not verified. */
  author: z.string(),
  /** Milliseconds since 1970. */
  written: z.int(),
});
/** The answer of `GET /notes`. */
const notes = z.object({ notes: z.array(noteSchema) });

/** A remark on a span or a trace; all of the tenant see it. */
export type TraceNote = z.infer<typeof noteSchema>;

/** Notes of a trace, the oldest first; null where the query service keeps none, which is no failure. */
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

/** Writes a note for all. @param note on a span, or with an empty `spanId` on the trace @throws ApiError */
export async function addNote(
  traceId: string,
  note: Pick<TraceNote, "spanId" | "text" | "author">,
): Promise<void> {
  await post("notes", noteSchema, { traceId, ...note });
}

/** Removes a note for all. @throws ApiError */
export async function removeNote(traceId: string, id: string): Promise<void> {
  await post("notes/remove", z.object({ id: z.string() }), { traceId, id });
}

/** Sends a change. It is not ended when the page changes, so that a note is not lost. */
function post<T>(path: string, schema: Parameters<typeof readJson<T>>[1], body: unknown): Promise<T> {
  return readJson(`${base}/${path}`, schema, new AbortController().signal, JSON.stringify(body));
}
