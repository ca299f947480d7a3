import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { PartFailure } from "../../components/part-failure.tsx";
import { failureWords } from "../../components/share/failure-words.ts";
import { keptSearches, searchWords } from "../../searches/kept-searches.ts";
import { useSavedSearches } from "../../searches/saved-searches.ts";
import { addressFields, type SearchAddress } from "../../searches/search-address.ts";

/**
 * Searches saved for all and run in this browser, and a field that takes a name for the present one. A name
 * that exists, and removing for all users, need a second press. Failures are shown above the lists.
 * @param address the search that would be saved
 * @param onLeave called when a search of the lists is opened
 */
export function SearchLists({ address, onLeave }: { address: SearchAddress; onLeave: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [taken, setTaken] = useState(false);
  const [failure, setFailure] = useState("");
  const [removing, setRemoving] = useState("");
  const { home, error, retry, saved, more, ...savedSearches } = useSavedSearches(true);
  const { recent } = keptSearches();
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

  function save(event: FormEvent) {
    event.preventDefault();
    // The menu is inside the search form, which must not be submitted.
    event.stopPropagation();
    if (name.trim() === "" || home === "unknown") {
      return;
    }
    const { live: _, sel: __, ...fields } = addressFields(address);
    const search = { address: new URLSearchParams(fields).toString(), name: name.trim() };
    void act(async () => {
      const isSaved = await savedSearches.save(search, taken);
      setTaken(!isSaved);
      if (isSaved) {
        setName("");
      }
    });
  }

  function remove(saved: string) {
    if (home === "service" && removing !== saved) {
      setRemoving(saved);
      return;
    }
    setRemoving("");
    void act(() => savedSearches.remove(saved));
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
          disabled={name.trim() === "" || home === "unknown"}
          onClick={save}
        >
          {taken ? "Replace" : "Save"}
        </button>
      </div>
      {taken && (
        <p role="status">There is a view of this name. Replace it for all, or choose another name.</p>
      )}
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
          <li key={search.name}>
            <button type="button" className="search-menu-item" onClick={() => go(search.address)}>
              <b>{search.name}</b> <span className="muted">{searchWords(search.address)}</span>
            </button>
            {removing === search.name ? (
              <button
                type="button"
                className="button"
                aria-label={`Delete for all: ${search.name}`}
                onClick={() => remove(search.name)}
              >
                Delete for all
              </button>
            ) : (
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove ${search.name}`}
                onClick={() => remove(search.name)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted">and {more} more: “Share” lists all views.</p>}
      <h2>Recent</h2>
      {recent.length === 0 && <p className="muted">None yet in this browser.</p>}
      <ul>
        {recent.map((text) => (
          <li key={text}>
            <button type="button" className="search-menu-item mono" onClick={() => go(text)}>
              {searchWords(text)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
