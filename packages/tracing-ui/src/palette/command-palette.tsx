import "./command-palette.css";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { keptSearches } from "../searches/kept-searches.ts";
import { useSavedSearches } from "../searches/saved-searches.ts";
import type { Command } from "./command.ts";
import { pageActions } from "./page-actions.ts";
import { rankCommands } from "./rank-commands.ts";
import { commandsOfText, useCommands } from "./use-commands.ts";

/**
 * Everything that can be done, found by typing: actions of the page, pages, searches, services, trace ids
 * and TraceQL. It exists only while it is open. Source: WAI-ARIA Authoring Practices, "Combobox Pattern"
 *
 * Keys: up and down choose, Enter runs, Esc closes. A click beside the dialog closes it too.
 * @param onClose called after it was closed
 * @param onHelp  called by the command that shows the keys
 */
export function CommandPalette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  // The page's actions are those of the moment when the palette was opened.
  const [actions] = useState(() => pageActions(document.querySelector("main") ?? document));
  const [{ recent }] = useState(keptSearches);
  const searches = useSavedSearches(true);
  const { saved } = searches;
  const kept = useMemo(() => ({ recent, saved: [...saved] }), [recent, saved]);
  const { groups: all, error } = useCommands(actions, kept, onHelp, text);
  const failed = error ?? searches.error;
  const groups = useMemo(() => {
    const own = commandsOfText(text, navigate);
    const others = own.length > 0 && text.trim().startsWith("{") ? [] : rankCommands(all, text);
    return own.length > 0 ? [{ title: "What is written", commands: own }, ...others] : others;
  }, [all, text, navigate]);
  const flat = groups.flatMap(({ commands }) => commands);
  const current = Math.min(chosen, flat.length - 1);

  useEffect(() => dialog.current?.showModal(), []);

  function run(command: Command | undefined) {
    if (command === undefined) {
      return;
    }
    // First closed, so that the focus goes back before the command moves it on.
    dialog.current?.close();
    command.run();
  }

  function onKey(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && flat.length > 0) {
      setChosen((current + step + flat.length) % flat.length);
    } else if (event.key === "Enter") {
      run(flat[current]);
    } else {
      return;
    }
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Commands"
      onClose={onClose}
      onPointerDown={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <input
        role="combobox"
        aria-label="Command, service, search or trace id"
        aria-expanded={flat.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={flat.length > 0 ? `${id}-${current}` : undefined}
        placeholder="Command, service, search or trace id"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      {failed !== null && (
        <p className="palette-none failed-text" role="alert">
          {error === null ? "Saved searches" : "Services"} could not be read: {failed.message}
        </p>
      )}
      {flat.length === 0 && (
        <p className="palette-none" role="status">
          Nothing of that name{failed !== null && " among the rest"}. A trace id, or TraceQL in braces, works
          too.
        </p>
      )}
      <div
        id={`${id}-list`}
        className="palette-list"
        role="listbox"
        aria-label="Commands"
        hidden={flat.length === 0}
      >
        {groups.map(({ title, commands }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box, which no fieldset can be
          <div key={title} role="group" aria-label={title}>
            <p className="palette-group" aria-hidden="true">
              {title}
            </p>
            {commands.map((command) => {
              const index = flat.indexOf(command);
              return (
                // Focus stays in the field; the list is moved through by aria-activedescendant.
                // biome-ignore lint/a11y/useFocusableInteractive: see above
                // biome-ignore lint/a11y/useKeyWithClickEvents: see above
                <div
                  key={command.id}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === current}
                  ref={
                    index === current ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined
                  }
                  onClick={() => run(command)}
                >
                  <span className="palette-title">{command.title}</span>
                  {command.note !== undefined && <span className="unit cut">{command.note}</span>}
                  {command.key !== undefined && <kbd>{command.key}</kbd>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </dialog>
  );
}
