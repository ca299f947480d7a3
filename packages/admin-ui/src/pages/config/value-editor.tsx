import { type KeyboardEvent, useId, useState } from "react";
import type { JsonValue } from "../../api/json-value.ts";
import { valueFault } from "../../config/find-faults.ts";
import type { PlaceSchema } from "../../config/schema.ts";
import { parseTyped } from "./parse-typed.ts";

/**
 * A field for a simple value, chosen by the schema: a list of choices, a switch, or a text. A text is applied on
 * leaving the field, a text of one line also by Enter. Esc restores a text of one line and returns to the tree.
 * @param first true for the field that Enter in the tree focuses
 */
export function ValueEditor(props: {
  label: string;
  place: PlaceSchema;
  value: JsonValue;
  first?: boolean;
  onChange: (value: JsonValue) => void;
}) {
  const { label, place, value, first = false, onChange } = props;
  const marker = first ? { "data-editor": true } : {};
  if (place.choices.length > 0) {
    const known = place.choices.includes(value);
    return (
      <select
        {...marker}
        className="field value-field"
        aria-label={label}
        aria-invalid={!known}
        value={JSON.stringify(value)}
        onChange={(event) => onChange(JSON.parse(event.target.value) as JsonValue)}
      >
        {!known && <option value={JSON.stringify(value)}>{String(value)}</option>}
        {place.choices.map((choice) => (
          <option key={String(choice)} value={JSON.stringify(choice)}>
            {String(choice)}
          </option>
        ))}
      </select>
    );
  }
  if (typeof value === "boolean" && (place.types.size === 0 || place.types.has("boolean"))) {
    return (
      <label className="value-switch">
        <input
          {...marker}
          type="checkbox"
          checked={value}
          aria-label={label}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span className="mono">{String(value)}</span>
      </label>
    );
  }
  return <TextEditor {...props} marker={marker} />;
}

/**
 * The field for texts and numbers. A fault is shown below while typing. Long texts and texts with several lines get a
 * larger field.
 */
function TextEditor(props: {
  label: string;
  place: PlaceSchema;
  value: JsonValue;
  marker: object;
  onChange: (value: JsonValue) => void;
}) {
  const { label, place, value, marker, onChange } = props;
  const [text, setText] = useState(() => (value === null ? "" : String(value)));
  const id = useId();
  const typed = text === (value === null ? "" : String(value)) ? value : parseTyped(text, place, value);
  const fault = valueFault(place, typed);
  const take = () => {
    if (typed !== value) {
      onChange(typed);
    }
  };
  const shared = {
    ...marker,
    className: "field value-field",
    "aria-label": label,
    "aria-invalid": fault !== undefined,
    "aria-describedby": fault === undefined ? undefined : id,
    spellCheck: false,
    autoComplete: "off",
    value: text,
    onBlur: take,
  };
  return (
    <>
      {text.includes("\n") || text.length > 120 ? (
        <textarea {...shared} onChange={(event) => setText(event.target.value)} />
      ) : (
        <input
          {...shared}
          placeholder={value === null ? "not set" : ""}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === "Enter") {
              take();
            } else if (event.key === "Escape") {
              setText(value === null ? "" : String(value));
              document.getElementById("config-tree")?.focus();
            } else {
              return;
            }
            event.preventDefault();
          }}
        />
      )}
      {fault !== undefined && (
        <p id={id} className="fault-text">
          {label} {fault}
        </p>
      )}
    </>
  );
}
