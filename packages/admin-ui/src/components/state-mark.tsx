import "./state-mark.css";
import { Icon } from "ui-kit/components/icon.tsx";

const icons = { good: "check", warning: "warning", bad: "error" } as const;

/** How something is, in an icon and a word: never in colour alone. */
export function StateMark({ state, text }: { state: "good" | "warning" | "bad"; text: string }) {
  return (
    <span className={`state-mark ${state}`}>
      <Icon name={icons[state]} />
      {text}
    </span>
  );
}
