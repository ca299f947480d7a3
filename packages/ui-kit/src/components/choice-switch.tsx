import "./choice-switch.css";
import type { KeyboardEvent, ReactNode } from "react";
import { type StoredChoice, useChoice } from "../theme/stored-choice.ts";

/** One option of a choice, with its stored word and its look. */
export interface ChoiceOption<T extends string> {
  /** The word that is stored when this option is chosen. */
  value: T;
  /** The visible part of the button: a text or an icon. */
  content: ReactNode;
  /** Text for screen readers and the tooltip. */
  label: string;
}

/**
 * A row of options, one of which is chosen. Arrow keys move to the next option and choose it at once;
 * Tab enters the group at the chosen option. Source: WAI-ARIA Authoring Practices, "Radio Group Pattern"
 */
export function ChoiceSwitch<T extends string>(props: {
  label: string;
  /** The stored choice that the switch reads and sets. */
  choice: StoredChoice<T>;
  /** The options in the order of the buttons. */
  options: readonly ChoiceOption<T>[];
}) {
  const { label, choice, options } = props;
  const current = useChoice(choice);

  function move(event: KeyboardEvent<HTMLDivElement>) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) {
      return;
    }
    event.preventDefault();
    const at = options.findIndex((option) => option.value === current);
    const next = (at + step + options.length) % options.length;
    const option = options[next];
    if (option !== undefined) {
      choice.set(option.value);
    }
    (event.currentTarget.children[next] as HTMLElement | undefined)?.focus();
  }

  return (
    <div className="switch" role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map((option) => (
        // A native radio button needs a second, styled element to show an icon.
        // biome-ignore lint/a11y/useSemanticElements: see above
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === current}
          aria-label={option.label}
          title={option.label}
          tabIndex={option.value === current ? 0 : -1}
          onClick={() => choice.set(option.value)}
        >
          {option.content}
        </button>
      ))}
    </div>
  );
}
