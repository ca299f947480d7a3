import "./completion-field.css";
import { type InputHTMLAttributes, type KeyboardEvent, useId, useRef, useState } from "react";

/** A completion that the field offers at the caret. */
export interface Completion {
  /**
   * The text that replaces the part from `from` to `to`. Also the key of the list item, so texts must
   * differ.
   */
  text: string;
  /** The shown text, if different from `text`. */
  label?: string;
  /** Note beside the item: its kind, or how often it was seen. */
  note?: string;
  /** True when text follows directly, as a value follows `=`: then no blank is added, and the list stays open. */
  goesOn?: boolean;
  /** True when the completion is the whole text of the field: then no blank is added. */
  isWhole?: boolean;
}

/** Completions for one place in a text, and the part that they replace. */
export interface Completions {
  /** Offsets in the field's text: the part that a chosen completion replaces. */
  from: number;
  to: number;
  /** The offers, best first. Without offers only `rest` is shown. */
  items: readonly Completion[];
  /** Line below the items: the number of further items, or why there are none. */
  rest?: string;
}

/** The inputs of {@link CompletionField}. */
interface CompletionFieldProps {
  /** The text of the field, which the owner stores. */
  value: string;
  /** Called with the new text after each key, and after a completion was inserted. */
  onValue: (value: string) => void;
  /** Called with the offset of the caret whenever it moves, so that the owner can compute `completions`. */
  onCaret: (caret: number) => void;
  /** The offers at the caret; undefined closes the list. */
  completions: Completions | undefined;
  /** Additional attributes of the input: class, label, placeholder. They must not set `value` or `onChange`. */
  field: InputHTMLAttributes<HTMLInputElement>;
}

/**
 * A text field that completes typed text. Down and Up choose an item, Enter or Tab inserts it, Esc closes the list.
 * Without a choice Enter submits the form. Source: WAI-ARIA Authoring Practices, "Combobox Pattern"
 */
export function CompletionField(props: CompletionFieldProps) {
  const { value, onValue, onCaret, field } = props;
  const id = useId();
  const { input, items, rest, current, open, setOpen, setChosen, take } = useCompletion(props);
  const onKey = (event: KeyboardEvent) => {
    const item = items[current];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!open) {
        setOpen(true);
      } else if (items.length > 0) {
        setChosen(nextItem(current, event.key === "ArrowDown" ? 1 : -1, items.length));
      }
    } else if ((event.key === "Enter" || event.key === "Tab") && item !== undefined) {
      take(item);
    } else if (event.key === "Escape" && items.length > 0) {
      setOpen(false);
    } else {
      if (event.key === "Enter") {
        setOpen(false);
      }
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="completion">
      <input
        {...field}
        ref={input}
        role="combobox"
        aria-expanded={items.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current >= 0 ? `${id}-${current}` : undefined}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={(event) => {
          onValue(event.target.value);
          onCaret(event.target.selectionStart ?? event.target.value.length);
          setChosen(-1);
          setOpen(true);
        }}
        onSelect={(event) => onCaret(event.currentTarget.selectionStart ?? 0)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
      />
      <CompletionList {...{ id, items, rest, current }} onTake={take} />
    </div>
  );
}

/** The index after a step through a list, which wraps at its ends. From −1 a step back leads to the last item. */
function nextItem(current: number, step: 1 | -1, count: number): number {
  return current < 0 && step < 0 ? count - 1 : (current + step + count) % count;
}

/** State of the list: open or closed, its items, the chosen item, and a function that inserts an item. */
function useCompletion({ value, onValue, onCaret, completions }: CompletionFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const items = open ? (completions?.items ?? []) : [];
  const rest = open ? completions?.rest : undefined;
  const current = Math.min(chosen, items.length - 1);

  function take(item: Completion) {
    if (completions === undefined) {
      return;
    }
    const after = value.slice(completions.to);
    const isJoined = item.goesOn || item.isWhole;
    const end = isJoined || after.startsWith(" ") ? "" : " ";
    const caret = completions.from + item.text.length + (isJoined ? 0 : 1);
    onValue(value.slice(0, completions.from) + item.text + end + after);
    onCaret(caret);
    setChosen(-1);
    setOpen(item.goesOn === true);
    // The field has its new text only after the next render.
    requestAnimationFrame(() => input.current?.setSelectionRange(caret, caret));
  }
  return { input, items, rest, current, open, setOpen, setChosen, take };
}

/** The inputs of {@link CompletionList}. */
interface CompletionListProps {
  /** Prefix of the ids of the list and its items. The field refers to these ids. */
  id: string;
  /** The offered items; an empty list is hidden. */
  items: readonly Completion[];
  /** The line below the offers; undefined for none. */
  rest: string | undefined;
  /** Index of the chosen offer, which is scrolled into view; −1 for none. */
  current: number;
  /** Called with a clicked offer. */
  onTake: (item: Completion) => void;
}

/** The offers below the field. A press on an offer leaves the focus in the field. */
function CompletionList({ id, items, rest, current, onTake }: CompletionListProps) {
  return (
    <div className="completion-list" hidden={items.length === 0 && rest === undefined}>
      <div id={`${id}-list`} role="listbox" aria-label="Completions" hidden={items.length === 0}>
        {items.map((item, index) => (
          // Focus stays in the field; aria-activedescendant marks the chosen item.
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={item.text}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            ref={index === current ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onTake(item)}
          >
            <span className="cut">{item.label ?? item.text}</span>
            <span className="unit">{item.note}</span>
          </div>
        ))}
      </div>
      {rest !== undefined && (
        <p className="completion-rest" role="status">
          {rest}
        </p>
      )}
    </div>
  );
}
