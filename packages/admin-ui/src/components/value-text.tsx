import "./value-text.css";
import type { JsonValue } from "../api/json-value.ts";

/**
 * Maximum number of characters of a value that are shown. The number of the others follows. Megabytes in one element
 * would block the page.
 */
const maxLength = 20_000;

/** A value as indented JSON. A longer value is cut, and a line tells the length of the rest. */
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
