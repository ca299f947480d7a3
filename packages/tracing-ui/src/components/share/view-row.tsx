import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { removeView, renameView, type SavedView } from "../../api/views.ts";
import { failureWords } from "./failure-words.ts";

/**
 * A saved view: its link, its note, and buttons that rename and remove the view for all users. Removing needs a
 * second press. A failure is shown below the row.
 */
export function ViewRow({ view }: { view: SavedView }) {
  const client = useQueryClient();
  // `shown`: the buttons are visible; `renaming`: a field for the new name; `removing`: the confirmation
  // before the view is removed.
  const [state, setState] = useState<"shown" | "renaming" | "removing">("shown");
  const [name, setName] = useState(view.name);
  const [failure, setFailure] = useState("");

  async function change(act: () => Promise<void>) {
    setFailure("");
    try {
      await act();
      setState("shown");
    } catch (error) {
      setFailure(failureWords(error));
    }
    // The list is read again also after a failure: another user may have changed it.
    await client.invalidateQueries({ queryKey: ["views"] });
  }

  const rename = () => void change(() => renameView(view.name, name.trim()));

  return (
    <li>
      <div className="share-line">
        {state === "renaming" ? (
          <RenameForm {...{ view, name }} onName={setName} onRename={rename} />
        ) : (
          // The dot keeps an address from being read as a scheme or as another host.
          <a className="share-view" href={`.${view.address}`} title={view.address}>
            {view.name}
          </a>
        )}
        {state === "shown" && (
          <>
            <RowButton word="Rename" name={view.name} onPress={() => setState("renaming")} />
            <RowButton word="Delete" name={view.name} onPress={() => setState("removing")} />
          </>
        )}
        {state === "removing" && (
          <RowButton
            word="Delete for all"
            name={view.name}
            onPress={() => void change(() => removeView(view.name))}
          />
        )}
        {state !== "shown" && <RowButton word="Cancel" name={view.name} onPress={() => setState("shown")} />}
      </div>
      {view.note !== "" && <p className="share-note">{view.note}</p>}
      {failure !== "" && (
        <p className="failed-text" role="alert">
          {failure}
        </p>
      )}
    </li>
  );
}

/** The inputs of {@link RenameForm}. */
interface RenameFormProps {
  /** The view to rename. */
  view: SavedView;
  /** The typed new name. */
  name: string;
  /** Called at each key. */
  onName: (name: string) => void;
  /** Called by the button and by Enter. */
  onRename: () => void;
}

/** The field for a view's new name. */
function RenameForm({ view, name, onName, onRename }: RenameFormProps) {
  function submit(event: FormEvent) {
    event.preventDefault();
    onRename();
  }

  return (
    <form className="share-line" onSubmit={submit}>
      <input
        className="field"
        aria-label={`New name of ${view.name}`}
        maxLength={200}
        value={name}
        onChange={(event) => onName(event.target.value)}
      />
      <button type="submit" className="button" disabled={name.trim() === ""}>
        Rename
      </button>
    </form>
  );
}

/** A button of a row. Its accessible label names the view, because all rows have the same button texts. */
function RowButton({ word, name, onPress }: { word: string; name: string; onPress: () => void }) {
  return (
    <button type="button" className="button" aria-label={`${word}: ${name}`} onClick={onPress}>
      {word}
    </button>
  );
}
