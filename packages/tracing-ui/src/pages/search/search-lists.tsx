import "./search-menu.css";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { PartFailure } from "../../components/part-failure.tsx";
import { failureWords } from "../../components/share/failure-words.ts";
import { type KeptSearch, keptSearches, searchWords } from "../../searches/kept-searches.ts";
import { type SavedSearches, useSavedSearches } from "../../searches/saved-searches.ts";
import { addressFields, type SearchAddress } from "../../searches/search-address.ts";

/**
 * Searches saved for all users, recent searches of this browser, and a field that saves the current search by name. A
 * name that exists needs a second press, and so does removing for all users. Errors are shown above the lists.
 * @param address the current search, which the field saves
 * @param onLeave called when a search of the lists is opened
 */
export function SearchLists({ address, onLeave }: { address: SearchAddress; onLeave: () => void }) {
  const navigate = useNavigate();
  const [failure, setFailure] = useState("");
  const [removing, setRemoving] = useState("");
  const searches = useSavedSearches(true);
  const { home, error, retry, saved, more } = searches;
  const go = (text: string) => {
    onLeave();
    void navigate({ to: "/search", search: Object.fromEntries(new URLSearchParams(text)) });
  };

  async function act(change: () => Promise<void>) {
    setFailure("");
    try {
      await change();
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  function remove(saved: string) {
    if (home === "service" && removing !== saved) {
      setRemoving(saved);
      return;
    }
    setRemoving("");
    void act(() => searches.remove(saved));
  }

  return (
    <>
      <SaveRow {...{ address, searches, act }} />
      {failure !== "" && (
        <p className="failed-text" role="alert">
          {failure}
        </p>
      )}
      {error !== null && <PartFailure what="Saved searches" error={error} onRetry={retry} />}
      {(saved.length > 0 || more > 0) && (
        <h2>{home === "service" ? "Saved for all" : "Saved in this browser"}</h2>
      )}
      <ul>
        {saved.map((search) => (
          <SavedItem
            key={search.name}
            search={search}
            isAsking={removing === search.name}
            onGo={go}
            onRemove={remove}
          />
        ))}
      </ul>
      {more > 0 && <p className="muted">and {more} more: “Share” lists all views.</p>}
      <RecentSearches onGo={go} />
    </>
  );
}

/** The inputs of {@link SaveRow}. */
interface SaveRowProps {
  /** The current search, which the button saves. */
  address: SearchAddress;
  /** The saved searches and their storage. */
  searches: SavedSearches;
  /** Runs a change and shows its error. */
  act: (change: () => Promise<void>) => Promise<void>;
}

/** The name for the current search, and the save button. If the name is taken, the user must confirm. */
function SaveRow({ address, searches, act }: SaveRowProps) {
  const [name, setName] = useState("");
  const [taken, setTaken] = useState(false);

  function save(event: FormEvent) {
    event.preventDefault();
    // The menu is inside the search form, which must not be submitted.
    event.stopPropagation();
    if (name.trim() === "" || searches.home === "unknown") {
      return;
    }
    const { live: _, sel: __, ...fields } = addressFields(address);
    const search = { address: new URLSearchParams(fields).toString(), name: name.trim() };
    void act(async () => {
      const isSaved = await searches.save(search, taken);
      setTaken(!isSaved);
      if (isSaved) {
        setName("");
      }
    });
  }

  return (
    <>
      <div className="search-menu-save">
        <input
          className="field"
          aria-label="Name for this search"
          placeholder="Name for this search"
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setTaken(false);
          }}
          onKeyDown={(event) => event.key === "Enter" && save(event)}
        />
        <button
          type="button"
          className="button"
          disabled={name.trim() === "" || searches.home === "unknown"}
          onClick={save}
        >
          {taken ? "Replace" : "Save"}
        </button>
      </div>
      {taken && (
        <p role="status">There is a view of this name. Replace it for all, or choose another name.</p>
      )}
    </>
  );
}

/** The inputs of {@link SavedItem}. */
interface SavedItemProps {
  /** The saved search. */
  search: KeptSearch;
  /** True after the first of the two presses that remove the search for all users. */
  isAsking: boolean;
  /** Called with the search's address when the user opens it. */
  onGo: (address: string) => void;
  /** Called with the search's name at each press of the remove button. */
  onRemove: (name: string) => void;
}

/** A saved search in words, with a remove button. */
function SavedItem({ search, isAsking, onGo, onRemove }: SavedItemProps) {
  return (
    <li>
      <button type="button" className="search-menu-item" onClick={() => onGo(search.address)}>
        <b>{search.name}</b> <span className="muted">{searchWords(search.address)}</span>
      </button>
      {isAsking ? (
        <button
          type="button"
          className="button"
          aria-label={`Delete for all: ${search.name}`}
          onClick={() => onRemove(search.name)}
        >
          Delete for all
        </button>
      ) : (
        <button
          type="button"
          className="icon-button"
          aria-label={`Remove ${search.name}`}
          onClick={() => onRemove(search.name)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

/** The recent searches of this browser, as stored when the list was drawn. */
function RecentSearches({ onGo }: { onGo: (address: string) => void }) {
  const { recent } = keptSearches();
  return (
    <>
      <h2>Recent</h2>
      {recent.length === 0 && <p className="muted">None yet in this browser.</p>}
      <ul>
        {recent.map((text) => (
          <li key={text}>
            <button type="button" className="search-menu-item mono" onClick={() => onGo(text)}>
              {searchWords(text)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
