import "./value-text.css";
import type { JsonValue } from "../api/json-value.ts";

/** Characters that are shown of a value. Megabytes in one element would block the page. */
const maxLength = 20_000;

/** A value as indented JSON. A longer one is cut, with a line that says how much is missing. */
export function ValueText({ value }: { value: JsonValue }) {
  const text = JSON.stringify(value, undefined, 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by key
    <pre className="value-text" tabIndex={0}>
      {text.length > maxLength
        ? `${text.slice(0, maxLength)}\n… and ${text.length - maxLength} characters`
        : text}
    </pre>
  );
}
