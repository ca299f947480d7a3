import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { addNote, notesQuery } from "../../../api/notes.ts";
import { failureWords } from "../../../components/share/failure-words.ts";
import { keepNoteAuthor, noteAuthor } from "./note-author.ts";

/** The inputs of {@link NoteForm}. */
interface NoteFormProps {
  /** The trace of the note. */
  traceId: string;
  /** The span of the note; "" for the whole trace. */
  spanId: string;
  /** Called after the note was saved, and on cancel; undefined: the form stays open. */
  onClose?: () => void;
}

/**
 * The form for a note that all users see. Enter begins a new line, Ctrl Enter saves, Esc cancels. The author's name
 * is stored for the next note. After a failure an error is shown below the form, and the text stays.
 */
export function NoteForm(props: NoteFormProps) {
  const { spanId, onClose } = props;
  const id = useId();
  const { text, setText, author, setAuthor, busy, failure, save } = useNewNote(props);

  function submit(event: FormEvent) {
    event.preventDefault();
    void save();
  }

  function press(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim() !== "") {
      event.preventDefault();
      void save();
    } else if (event.key === "Escape" && onClose !== undefined) {
      event.stopPropagation();
      onClose();
    }
  }

  return (
    <form className="note-form" onSubmit={submit} onKeyDown={press}>
      <label htmlFor={`${id}text`}>{spanId === "" ? "Note on this trace" : "Note on this span"}</label>
      <textarea
        id={`${id}text`}
        className="field"
        rows={2}
        maxLength={4_000}
        placeholder="What others should see here"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="note-form-foot">
        <input
          className="field"
          aria-label="Your name"
          placeholder="Your name"
          autoComplete="name"
          maxLength={200}
          value={author}
          onChange={(event) => setAuthor(event.target.value)}
        />
        <button type="submit" className="button" disabled={busy || text.trim() === ""}>
          Save note
        </button>
        {onClose !== undefined && (
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        )}
      </div>
      {failure !== "" && (
        <p className="failed-text" role="alert">
          It was not saved. {failure}
        </p>
      )}
    </form>
  );
}

/** State of a note being written: text, author, request state and error. */
function useNewNote({ traceId, spanId, onClose }: NoteFormProps) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [author, setAuthor] = useState(noteAuthor);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");

  async function save() {
    setBusy(true);
    setFailure("");
    try {
      await addNote(traceId, { spanId, text: text.trim(), author: author.trim() });
      keepNoteAuthor(author.trim());
      setText("");
      await client.invalidateQueries({ queryKey: notesQuery(traceId).queryKey });
      onClose?.();
    } catch (error) {
      setFailure(failureWords(error));
    }
    setBusy(false);
  }

  return { text, setText, author, setAuthor, busy, failure, save };
}
