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

/** The commands that a text finds, in groups. `failed` says why some could not be read, `error` if services. */
function useFoundCommands(text: string, onHelp: () => void) {
  const navigate = useNavigate();
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
  return { groups, error, failed };
}

/** The inputs of {@link Missing}. */
interface MissingProps {
  /** Why some commands could not be read; null when all were. */
  failed: Error | null;
  /** Whether those are services; else they are saved searches. */
  ofServices: boolean;
  /** Whether no command was found. */
  isEmpty: boolean;
}

/** Says which commands could not be read, and that nothing was found. */
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
  /** Beginning of the ids of list and options. */
  id: string;
  /** The text, as typed. */
  text: string;
  /** Index of the chosen command. */
  current: number;
  /** Whether there is any command; the list is hidden without. */
  hasCommands: boolean;
  /** Called with the text after each change. */
  onText: (text: string) => void;
  /** Called by each key. */
  onKey: (event: KeyboardEvent) => void;
}

/** The field, which keeps the focus while the list is moved through. */
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
  /** Beginning of the ids of list and options. */
  id: string;
  /** The commands in groups. */
  groups: readonly CommandGroup[];
  /** The same commands in one list, whose indices are in the ids. */
  flat: readonly Command[];
  /** Index of the chosen command. */
  current: number;
  /** Called with a clicked command. */
  run: (command: Command) => void;
}

/** The found commands below the heads of their groups. */
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
  /** Id of the element, which the field names while the command is chosen. */
  id: string;
  /** The command. */
  command: Command;
  /** Whether it is the chosen one; it is scrolled into view then. */
  isCurrent: boolean;
  /** Called by a click. */
  run: (command: Command) => void;
}

/** A command with its note and its key. */
function CommandOption({ id, command, isCurrent, run }: CommandOptionProps) {
  return (
    // Focus stays in the field; the list is moved through by aria-activedescendant.
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
