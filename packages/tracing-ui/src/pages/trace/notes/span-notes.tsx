import "./notes.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { notesQuery } from "../../../api/notes.ts";
import { isSavedPage } from "../saved-trace.ts";
import { NoteForm } from "./note-form.tsx";
import { NoteList } from "./note-list.tsx";
import { spanKey } from "./notes-by-span.ts";

/** Notes on a span, and a form for a new note. Hidden when the query service stores no notes. */
export function SpanNotes({ traceId, spanId }: { traceId: string; spanId: string }) {
  const { data } = useQuery(notesQuery(traceId));
  const [writing, setWriting] = useState(false);
  const notes = data?.filter((note) => spanKey(note.spanId) === spanKey(spanId)) ?? [];
  if (data === undefined || data === null || (isSavedPage() && notes.length === 0)) {
    return null;
  }
  return (
    <section className="span-section span-notes">
      <h2>
        Notes <span className="mono unit">{notes.length}</span>{" "}
        {!isSavedPage() && !writing && (
          <button type="button" className="button" onClick={() => setWriting(true)}>
            Write a note
          </button>
        )}
      </h2>
      <NoteList traceId={traceId} notes={notes} />
      {writing && <NoteForm {...{ traceId, spanId }} onClose={() => setWriting(false)} />}
    </section>
  );
}
