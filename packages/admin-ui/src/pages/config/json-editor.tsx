import { useMemo, useState } from "react";
import type { JsonValue } from "../../api/json-value.ts";
import { findFaults } from "../../config/find-faults.ts";
import type { JsonSchema, SchemaReader } from "../../config/schema.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { jsonMarks } from "../../editor/json-marks.ts";
import { completeBySchema } from "../../editor/schema-completion.ts";

/** Maximum number of characters that are editable as text; larger parts must be edited deeper in the tree. */
const maxLength = 1_000_000;

/**
 * A part of the config as JSON text, with schema support. Changes apply only on "Take over", and only for valid JSON.
 * @param schema schema of this part
 */
export function JsonEditor(props: {
  /** The part's value in the draft. */
  value: JsonValue;
  /** Reader for the schema of the whole config. */
  reader: SchemaReader;
  schema: JsonSchema;
  /** Called by "Take over" with the parsed text. */
  onChange: (value: JsonValue) => void;
}) {
  const { value, reader, schema, onChange } = props;
  const first = JSON.stringify(value, undefined, 2);
  const [text, setText] = useState(first);
  const help = useMemo(
    () => ({
      marks: jsonMarks((parsed) => findFaults(reader, parsed, schema)),
      complete: completeBySchema(reader, schema),
    }),
    [reader, schema],
  );
  if (text.length > maxLength) {
    return (
      <p className="muted">
        This part is too large to be edited as one text. Choose a part of it in the tree.
      </p>
    );
  }
  const { parsed, fault } = parse(text);
  const same = parsed !== undefined && JSON.stringify(parsed) === JSON.stringify(value);
  const faults = parsed === undefined ? [] : findFaults(reader, parsed, schema);
  return (
    <>
      <div className="json-field">
        <CodeEditor label="JSON" language="json" value={text} onChange={setText} {...help} />
      </div>
      <p className={fault === undefined && faults.length === 0 ? "muted" : "fault-text"} role="status">
        {fault ?? faultsText(faults.map(({ path, message }) => `${path} ${message}`.trim()))}
      </p>
      <div className="json-actions">
        <button
          type="button"
          className="button main"
          disabled={parsed === undefined || same}
          onClick={() => parsed !== undefined && onChange(parsed)}
        >
          Take over
        </button>
        <button type="button" className="button" disabled={text === first} onClick={() => setText(first)}>
          Reset
        </button>
      </div>
    </>
  );
}

/** The line below the editor: the first fault and the number of others, or a hint without faults. */
function faultsText(faults: readonly string[]): string {
  const [first] = faults;
  if (first === undefined) {
    return "Ctrl+Space completes names and values";
  }
  return faults.length === 1 ? first : `${first}, and ${faults.length - 1} more faults`;
}

function parse(text: string): { parsed?: JsonValue; fault?: string } {
  try {
    return { parsed: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
