import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { notesQuery, removeNote, type TraceNote } from "../../../api/notes.ts";
import { failureWords } from "../../../components/share/failure-words.ts";
import { isSavedPage } from "../saved-trace.ts";

/**
 * A list of notes, in the given order.
 * @param about shows the span or trace of a note; undefined where the surroundings already name it
 */
export function NoteList(props: {
  traceId: string;
  notes: readonly TraceNote[];
  about?: (note: TraceNote) => ReactNode;
}) {
  const { traceId, notes, about } = props;
  return (
    <ul className="notes">
      {notes.map((note) => (
        <NoteItem key={note.id} {...{ traceId, note }}>
          {about?.(note)}
        </NoteItem>
      ))}
    </ul>
  );
}

/**
 * A note with its author and time. Deleting needs a second press, because it deletes the note for all users. In a
 * saved page notes cannot be deleted.
 */
function NoteItem(props: { traceId: string; note: TraceNote; children: ReactNode }) {
  const { traceId, note, children } = props;
  const client = useQueryClient();
  const zone = useChoice(zoneChoice);
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState("");

  async function remove() {
    setFailure("");
    try {
      await removeNote(traceId, note.id);
      await client.invalidateQueries({ queryKey: notesQuery(traceId).queryKey });
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  const us = note.written * 1_000;
  const short = note.text.length > 40 ? `${note.text.slice(0, 40)}…` : note.text;
  return (
    <li>
      {children}
      <p className="note-text" dir="auto">
        {note.text}
      </p>
      <p className="note-foot">
        {note.author !== "" && <bdi>{note.author}</bdi>}
        <span className="mono unit">
          {dateText(us, zone)} {clockText(us, zone).slice(0, 5)}
        </span>
        {!isSavedPage() && (
          <>
            <button
              type="button"
              className="link"
              aria-label={`${asking ? "Delete for all" : "Delete"}: ${short}`}
              onClick={() => (asking ? void remove() : setAsking(true))}
            >
              {asking ? "Delete for all" : "Delete"}
            </button>
            {asking && (
              <button type="button" className="link" onClick={() => setAsking(false)}>
                Keep
              </button>
            )}
          </>
        )}
      </p>
      {failure !== "" && (
        <p className="failed-text" role="alert">
          It was not deleted. {failure}
        </p>
      )}
    </li>
  );
}
