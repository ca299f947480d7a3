import "./search-menu.css";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import {
  type KeptSearches,
  keepSearches,
  keptSearches,
  searchWords,
  withoutSaved,
  withRecent,
  withSaved,
} from "./kept-searches.ts";
import { addressFields, type SearchAddress } from "./search-address.ts";

/** Puts a search among the recent ones. */
export function rememberSearch(address: SearchAddress): void {
  const { live: _, sel: __, ...fields } = addressFields(address);
  keepSearches(withRecent(keptSearches(), new URLSearchParams(fields).toString()));
}

/** A button that opens searches saved and run in this browser, and takes a name for the present one. */
export function SearchMenu({
  address,
  onOpenFile,
}: {
  address: SearchAddress;
  onOpenFile: (file: File) => void;
}) {
  const navigate = useNavigate();
  const menu = useRef<HTMLDivElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const [kept, setKept] = useState<KeptSearches>({ recent: [], saved: [] });
  const [name, setName] = useState("");
  const change = (next: KeptSearches) => {
    keepSearches(next);
    setKept(next);
  };
  const go = (text: string) => {
    menu.current?.hidePopover();
    void navigate({ to: "/search", search: Object.fromEntries(new URLSearchParams(text)) });
  };

  function save(event: FormEvent) {
    event.preventDefault();
    // The menu stands in the search form, which is not to run.
    event.stopPropagation();
    if (name.trim() === "") {
      return;
    }
    const { live: _, sel: __, ...fields } = addressFields(address);
    change(withSaved(kept, { address: new URLSearchParams(fields).toString(), name: name.trim() }));
    setName("");
  }

  return (
    <div className="search-menu">
      <button
        type="button"
        className="button"
        popoverTarget="search-menu"
        data-command="Saved searches and files"
        title="Saved and recent searches, files"
      >
        More
      </button>
      <div
        id="search-menu"
        className="search-menu-panel"
        popover="auto"
        ref={menu}
        onToggle={(event) => event.newState === "open" && setKept(keptSearches())}
      >
        <div className="search-menu-save">
          <input
            className="field"
            aria-label="Name for this search"
            placeholder="Name for this search"
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => event.key === "Enter" && save(event)}
          />
          <button type="button" className="button" disabled={name.trim() === ""} onClick={save}>
            Save
          </button>
        </div>
        {kept.saved.length > 0 && <h2>Saved</h2>}
        <ul>
          {kept.saved.map((search) => (
            <li key={search.name}>
              <button type="button" className="search-menu-item" onClick={() => go(search.address)}>
                <b>{search.name}</b> <span className="muted">{searchWords(search.address)}</span>
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove ${search.name}`}
                onClick={() => change(withoutSaved(kept, search.name))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        <h2>Recent</h2>
        {kept.recent.length === 0 && <p className="muted">None yet in this browser.</p>}
        <ul>
          {kept.recent.map((text) => (
            <li key={text}>
              <button type="button" className="search-menu-item mono" onClick={() => go(text)}>
                {searchWords(text)}
              </button>
            </li>
          ))}
        </ul>
        <h2>File</h2>
        <button
          type="button"
          className="button"
          data-command="Open a JSON file of traces"
          onClick={() => file.current?.click()}
        >
          Open a JSON file…
        </button>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          hidden
          aria-label="JSON file of traces"
          onChange={(event) => {
            const [chosen] = event.target.files ?? [];
            if (chosen !== undefined) {
              onOpenFile(chosen);
            }
            event.target.value = "";
            menu.current?.hidePopover();
          }}
        />
      </div>
    </div>
  );
}
