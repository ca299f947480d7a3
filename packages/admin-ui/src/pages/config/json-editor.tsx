import { useId, useState } from "react";
import type { JsonValue } from "../../api/json-value.ts";

/** Characters that can be edited as text; larger parts are edited further down the tree. */
const maxLength = 1_000_000;

/** A part of the config as JSON text. Nothing happens before "Take over", and then only with right JSON. */
export function JsonEditor({ value, onChange }: { value: JsonValue; onChange: (value: JsonValue) => void }) {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const id = useId();
  if (text.length > maxLength) {
    return (
      <p className="muted">
        This part is too large to be edited as one text. Choose a part of it in the tree.
      </p>
    );
  }
  const { parsed, fault } = parse(text);
  const same = parsed !== undefined && JSON.stringify(parsed) === JSON.stringify(value);
  return (
    <>
      <textarea
        className="field json-field"
        data-editor
        aria-label="JSON"
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : id}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {fault !== undefined && (
        <p id={id} className="fault-text" role="alert">
          {fault}
        </p>
      )}
      <div className="json-actions">
        <button
          type="button"
          className="button main"
          disabled={parsed === undefined || same}
          onClick={() => parsed !== undefined && onChange(parsed)}
        >
          Take over
        </button>
        <button
          type="button"
          className="button"
          disabled={same}
          onClick={() => setText(JSON.stringify(value, undefined, 2))}
        >
          Reset
        </button>
      </div>
    </>
  );
}

function parse(text: string): { parsed?: JsonValue; fault?: string } {
  try {
    return { parsed: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
