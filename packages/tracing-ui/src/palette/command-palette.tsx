import "./command-palette.css";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { keptSearches } from "../searches/kept-searches.ts";
import { useSavedSearches } from "../searches/saved-searches.ts";
import type { Command, CommandGroup } from "./command.ts";
import { pageActions } from "./page-actions.ts";
import { rankCommands } from "./rank-commands.ts";
import { commandsOfText, useCommands } from "./use-commands.ts";

/**
 * A dialog that finds commands by typing: actions of the page, pages, searches, services, trace ids
 * and TraceQL. It is mounted only while open. Source: WAI-ARIA Authoring Practices, "Combobox Pattern"
 *
 * Keys: up and down choose a command, Enter runs it, Esc closes. A click outside the dialog closes it too.
 * @param onClose called after the dialog has closed
 * @param onHelp  called by the command that shows the keys
 */
export function CommandPalette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const { groups, error, failed } = useFoundCommands(text, onHelp);
  const flat = groups.flatMap(({ commands }) => commands);
  const current = Math.min(chosen, flat.length - 1);

  useEffect(() => dialog.current?.showModal(), []);

  function run(command: Command | undefined) {
    if (command === undefined) {
      return;
    }
    // Close first: the focus returns to the page before the command moves the focus elsewhere.
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
      <CommandField
        {...{ id, text, current, onKey }}
        hasCommands={flat.length > 0}
        onText={(next) => {
          setText(next);
          setChosen(0);
        }}
      />
      <Missing failed={failed} ofServices={error !== null} isEmpty={flat.length === 0} />
      <CommandList {...{ id, groups, flat, current, run }} />
    </dialog>
  );
}

/** The commands that match a text, in groups. `failed` is the error of any failed request, `error` only of services. */
function useFoundCommands(text: string, onHelp: () => void) {
  const navigate = useNavigate();
  // The page's actions are read once, when the palette opens.
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
  return { groups, error, failed };
}

/** The inputs of {@link Missing}. */
interface MissingProps {
  /** Error of the commands that could not be loaded; null without an error. */
  failed: Error | null;
  /** True when services could not be loaded; false when saved searches could not. */
  ofServices: boolean;
  /** True when no command was found. */
  isEmpty: boolean;
}

/** Text about commands that could not be loaded, or about an empty result. */
function Missing({ failed, ofServices, isEmpty }: MissingProps) {
  return (
    <>
      {failed !== null && (
        <p className="palette-none failed-text" role="alert">
          {ofServices ? "Services" : "Saved searches"} could not be read: {failed.message}
        </p>
      )}
      {isEmpty && (
        <p className="palette-none" role="status">
          Nothing of that name{failed !== null && " among the rest"}. A trace id, or TraceQL in braces, works
          too.
        </p>
      )}
    </>
  );
}

/** The inputs of {@link CommandField}. */
interface CommandFieldProps {
  /** Prefix of the ids of list and options. */
  id: string;
  /** The text, as typed. */
  text: string;
  /** Index of the chosen command. */
  current: number;
  /** True when there are commands; otherwise the list is hidden. */
  hasCommands: boolean;
  /** Called with the text after each change. */
  onText: (text: string) => void;
  /** Called for each key press. */
  onKey: (event: KeyboardEvent) => void;
}

/** The text field. It keeps the focus while keys move through the list. */
function CommandField({ id, text, current, hasCommands, onText, onKey }: CommandFieldProps) {
  return (
    <input
      role="combobox"
      aria-label="Command, service, search or trace id"
      aria-expanded={hasCommands}
      aria-controls={`${id}-list`}
      aria-autocomplete="list"
      aria-activedescendant={hasCommands ? `${id}-${current}` : undefined}
      placeholder="Command, service, search or trace id"
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={onKey}
    />
  );
}

/** The inputs of {@link CommandList}. */
interface CommandListProps {
  /** Prefix of the ids of list and options. */
  id: string;
  groups: readonly CommandGroup[];
  /** The same commands in a flat list. Element ids contain the indices of this list. */
  flat: readonly Command[];
  /** Index of the chosen command. */
  current: number;
  /** Called with a clicked command. */
  run: (command: Command) => void;
}

/** The found commands below the headings of their groups. */
function CommandList({ id, groups, flat, current, run }: CommandListProps) {
  return (
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
          {commands.map((command) => (
            <CommandOption
              key={command.id}
              id={`${id}-${flat.indexOf(command)}`}
              {...{ command, run }}
              isCurrent={flat.indexOf(command) === current}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** The inputs of {@link CommandOption}. */
interface CommandOptionProps {
  /** Id of the element. The field references the id while the command is chosen. */
  id: string;
  command: Command;
  /** True for the chosen command, which is then scrolled into view. */
  isCurrent: boolean;
  /** Called by a click. */
  run: (command: Command) => void;
}

/** An option: the command's title, note and key. */
function CommandOption({ id, command, isCurrent, run }: CommandOptionProps) {
  return (
    // Focus stays in the field; aria-activedescendant marks the chosen option.
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      ref={isCurrent ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
      onClick={() => run(command)}
    >
      <span className="palette-title">{command.title}</span>
      {command.note !== undefined && <span className="unit cut">{command.note}</span>}
      {command.key !== undefined && <kbd>{command.key}</kbd>}
    </div>
  );
}
