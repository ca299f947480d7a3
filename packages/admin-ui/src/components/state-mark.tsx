import "./state-mark.css";
import { Icon } from "ui-kit/components/icon.tsx";

/**
 * The state of a thing:
 * - `good`: checked without problems
 * - `warning`: works, but needs attention
 * - `bad`: does not work
 * - `unknown`: not checked, or no data; do not read this as good
 */
export type State = "good" | "warning" | "bad" | "unknown";

/** Each state has its own shape, for readers who do not see the colours. */
const icons = { good: "check", warning: "warning", bad: "error", unknown: "unknown" } as const;

/** A state as icon and word, never only as a color. */
export function StateMark({ state, text }: { state: State; text: string }) {
  return (
    <span className={`state-mark ${state}`}>
      <Icon name={icons[state]} />
      {text}
    </span>
  );
}
