import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import type { Note, NoteStore } from "../../service/note-store.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { jsonBody } from "./json-body.ts";
import { paramsReader, readJson } from "./read-request.ts";
import { traceIdOf, traceIdSchema } from "./trace-id-part.ts";

// Notes are always read for one trace.
const listSchema = z.strictObject({ traceId: traceIdSchema });
const readList = paramsReader(listSchema);

// Leading zeros may be missing, as in trace ids; `normalSpanId` adds them.
const spanId = z
  .string()
  .max(16)
  .regex(/^[0-9a-fA-F]*$/, { error: "not up to 16 hex digits" })
  .default("")
  .describe("The span that the note is on; empty for the whole trace.");

// The body of a new note. The limit of 4,000 characters keeps a note's file below the limit of `KeptFiles`.
const noteSchema = z.strictObject({
  traceId: traceIdSchema,
  spanId,
  text: z.string().trim().min(1).max(4_000),
  author: z.string().trim().max(200).default("").describe("Who writes it; nobody checks it."),
});
const removalSchema = z.strictObject({ traceId: traceIdSchema, id: z.string().max(40) });

// A note as the answer has it.
const noteAnswer = z
  .strictObject({
    id: z.string(),
    spanId: z.string().describe("16 hex digits; empty for a note on the trace."),
    text: z.string(),
    author: z.string(),
    written: z.int().describe("Milliseconds since the Unix epoch."),
  })
  .meta({ id: "TraceNote" });
const listAnswer = z
  .strictObject({ notes: z.array(noteAnswer).describe("The oldest first.") })
  .meta({ id: "TraceNotes" });
const removedAnswer = z.strictObject({ id: z.string() }).meta({ id: "RemovedNote" });

// Failure statuses of changing methods: 413 for a long body or too many notes, 501 when notes are not stored.
const failures = { failures: "problem", failureStatuses: [400, 413, 501] } as const;
const json = "application/json";

/** The list of notes, for the OpenAPI document. */
export const noteListOperation: OperationDescription = {
  ...{ method: "GET", path: "/api/analysis/v1/notes", id: "getNotes" },
  summary: "Notes that people wrote on a trace and its spans",
  query: listSchema,
  answer: { contentType: json, schema: listAnswer },
  ...{ failures: "problem", failureStatuses: [400, 501] },
  example: { query: { traceId: "1f" } },
  failingExample: { status: 400, request: { query: { traceId: "x" } } },
};

/** Writing of a note, for the OpenAPI document. */
export const addNoteOperation: OperationDescription = {
  ...{ method: "POST", path: "/api/analysis/v1/notes", id: "addNote" },
  summary: "Write a note on a span or a trace, for all of the tenant",
  body: noteSchema,
  answer: { contentType: json, schema: noteAnswer },
  ...failures,
  example: { body: { traceId: "1f", spanId: "2e", text: "waits for the lock here" } },
  failingExample: { status: 400, request: { body: { traceId: "1f", text: "" } } },
};

/** Removal of a note, for the OpenAPI document. */
export const removeNoteOperation: OperationDescription = {
  ...{ method: "POST", path: "/api/analysis/v1/notes/remove", id: "removeNote" },
  summary: "Remove a note",
  body: removalSchema,
  answer: { contentType: json, schema: removedAnswer },
  ...failures,
  example: { body: { traceId: "1f", id: "00000000-0000-4000-8000-000000000000" } },
  failingExample: { status: 400, request: { body: {} } },
};

/**
 * `GET …/notes` lists the notes of a trace, `POST …/notes` writes one. It is an API of our own; Jaeger keeps no
 * notes.
 *
 * ```
 * POST …/notes {"traceId": "1f", "spanId": "2e", "text": "waits for the lock here"}
 * {"id": "3f6c…", "spanId": "000000000000002e", "text": "waits for the lock here", "author": "", "written": 1795967689000}
 * GET …/notes?traceId=1f
 * {"notes": [{"id": "3f6c…", "spanId": "000000000000002e", …}]}
 * ```
 *
 * The trace need not exist: a note is kept when retention deletes its trace. Errors: 400 for a wrong field or another
 * content type than JSON, 413 above the limit of notes on a trace, 501 without --query.views-dir.
 */
export function notesEndpoint(notes: NoteStore): Endpoint {
  return async (request) => {
    const { tenant = "" } = request.read;
    if (request.method === "POST") {
      const { traceId, ...note } = readJson(noteSchema, await jsonBody(request));
      const written = { ...note, spanId: normalSpanId(note.spanId), writtenUnixMs: Date.now() };
      return [JSON.stringify(answerOf(await notes.add(tenant, traceIdOf(traceId, "traceId"), written)))];
    }
    const { traceId } = readList(request.params);
    const found = await notes.list(tenant, traceIdOf(traceId, "traceId"));
    const answer: z.output<typeof listAnswer> = { notes: found.map(answerOf) };
    return [JSON.stringify(answer)];
  };
}

/**
 * `POST …/notes/remove` with `{"traceId": "1f", "id": "3f6c…"}` answers `{"id": "3f6c…"}`, even for a missing note.
 */
export function removeNoteEndpoint(notes: NoteStore): Endpoint {
  return async (request) => {
    const { traceId, id } = readJson(removalSchema, await jsonBody(request));
    await notes.remove(request.read.tenant ?? "", traceIdOf(traceId, "traceId"), id);
    return [JSON.stringify({ id })];
  };
}

/** A stored note in the form of the answer. */
function answerOf({ writtenUnixMs, ...note }: Note): z.output<typeof noteAnswer> {
  return { ...note, written: writtenUnixMs };
}

/**
 * Normalizes a span id to 16 lower-case digits: "2E" becomes "000000000000002e". "" is kept, and means the whole trace.
 * @throws QueryError QUERY_BAD_PARAMETER for zeros, which identify no span
 */
function normalSpanId(text: string): string {
  const id = text === "" ? "" : text.toLowerCase().padStart(16, "0");
  if (/^0+$/.test(id)) {
    throw new QueryError("QUERY_BAD_PARAMETER", "spanId is zero", { parameter: "spanId" });
  }
  return id;
}
