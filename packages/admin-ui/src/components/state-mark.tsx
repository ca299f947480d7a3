import "./state-mark.css";
import { Icon } from "ui-kit/components/icon.tsx";

/**
 * How something is:
 * - `good`: checked, and fine
 * - `warning`: it works, but needs a look
 * - `bad`: it does not work
 * - `unknown`: not checked, or no data; this is not good news
 */
export type State = "good" | "warning" | "bad" | "unknown";

/** Each state has its own shape, for readers who do not see the colours. */
const icons = { good: "check", warning: "warning", bad: "error", unknown: "unknown" } as const;

/** How something is, in an icon and a word: never in colour alone. */
export function StateMark({ state, text }: { state: State; text: string }) {
  return (
    <span className={`state-mark ${state}`}>
      <Icon name={icons[state]} />
      {text}
    </span>
  );
}
