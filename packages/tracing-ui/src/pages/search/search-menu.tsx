import "./search-menu.css";
import { lazy, Suspense, useRef, useState } from "react";
import { Loading } from "../../components/loading.tsx";
import { uiConfig } from "../../links/ui-config.ts";
import { keepSearches, keptSearches, withRecent } from "../../searches/kept-searches.ts";
import { addressFields, type SearchAddress } from "../../searches/search-address.ts";

const SearchLists = lazy(() => import("./search-parts.ts").then((file) => ({ default: file.SearchLists })));

/** Adds a search to the recent searches of this browser, without its selection and live view. */
export function rememberSearch(address: SearchAddress): void {
  const { live: _, sel: __, ...fields } = addressFields(address);
  keepSearches(withRecent(keptSearches(), new URLSearchParams(fields).toString()));
}

/**
 * A button that opens a menu: saved and recent searches, a field to save the current search, and a button for a file of
 * traces. The lists are loaded when it opens.
 */
export function SearchMenu({
  address,
  onOpenFile,
}: {
  address: SearchAddress;
  onOpenFile: (file: File) => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const leave = () => menu.current?.hidePopover();
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
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {isOpen && (
          <Suspense fallback={<Loading>Reading saved searches…</Loading>}>
            <SearchLists address={address} onLeave={leave} />
          </Suspense>
        )}
        {!uiConfig.disableFileUploadControl && <OpenFile onOpenFile={onOpenFile} onLeave={leave} />}
      </div>
    </div>
  );
}

/** The button that lets the user choose a file. The same file can be chosen twice. */
function OpenFile({ onOpenFile, onLeave }: { onOpenFile: (file: File) => void; onLeave: () => void }) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
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
          onLeave();
        }}
      />
    </>
  );
}
