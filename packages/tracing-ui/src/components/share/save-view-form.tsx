import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { isViewName, saveView } from "../../api/views.ts";
import { failureWords } from "./failure-words.ts";

/**
 * The result of the last press on Save:
 * - `idle`: the button was not pressed since the name changed
 * - `busy`: the request is under way; the button is off
 * - `taken`: a view of this name exists; the button now replaces it
 * - `saved`: the view was saved
 * - `failed`: the view was not saved, for the reason in `words`
 */
type Outcome = { kind: "idle" | "busy" | "taken" | "saved" } | { kind: "failed"; words: string };

/**
 * Saves the current page by name, for all users. A view of the same name is replaced only by a second
 * press.
 * @param address path and search of the page, below the page's base
 */
export function SaveViewForm({ address }: { address: string }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const [outcome, setOutcome] = useState<Outcome>({ kind: "idle" });

  async function save(event: FormEvent) {
    event.preventDefault();
    const mayReplace = outcome.kind === "taken";
    setOutcome({ kind: "busy" });
    try {
      if (!mayReplace && (await isViewName(name.trim()))) {
        setOutcome({ kind: "taken" });
        return;
      }
      await saveView({ name: name.trim(), address, note: note.trim() });
      setOutcome({ kind: "saved" });
      await client.invalidateQueries({ queryKey: ["views"] });
    } catch (error) {
      setOutcome({ kind: "failed", words: failureWords(error) });
    }
  }

  return (
    <form className="share-save" onSubmit={(event) => void save(event)}>
      <h3>Save it as a view for all</h3>
      <div className="share-line">
        <input
          className="field"
          aria-label="Name of the view"
          placeholder="Name"
          maxLength={200}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setOutcome({ kind: "idle" });
          }}
        />
        <button type="submit" className="button" disabled={name.trim() === "" || outcome.kind === "busy"}>
          {outcome.kind === "taken" ? "Replace" : "Save"}
        </button>
      </div>
      <textarea
        className="field"
        aria-label="Note on the view"
        placeholder="Note: what others should see here"
        rows={2}
        maxLength={4_000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <OutcomeText outcome={outcome} name={name.trim()} />
    </form>
  );
}

/** The result in a sentence. Empty before the first press and while the request is under way. */
function OutcomeText({ outcome, name }: { outcome: Outcome; name: string }) {
  switch (outcome.kind) {
    case "taken":
      return <p role="status">There is a view of this name. Replace it for all, or choose another name.</p>;
    case "saved":
      return <p role="status">Saved as “{name}”.</p>;
    case "failed":
      return (
        <p className="failed-text" role="alert">
          It was not saved. {outcome.words}
        </p>
      );
    default:
      return null;
  }
}
