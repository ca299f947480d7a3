import "./place-panel.css";
import { lazy, Suspense } from "react";
import type { JsonValue } from "../../api/json-value.ts";
import { isObject, kindOf } from "../../api/json-value.ts";
import { Prose } from "../../components/prose.tsx";
import { type SchemaFault, typeName } from "../../config/find-faults.ts";
import { firstValue } from "../../config/first-value.ts";
import { below, lastPart, pointerParts, valueAt } from "../../config/json-pointer.ts";
import type { PlaceSchema, SchemaReader } from "../../config/schema.ts";
import { MemberList } from "./member-list.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";
import { ValueEditor } from "./value-editor.tsx";

/** Loaded lazily, because the editor is larger than the rest of this page, and rarely used. */
const JsonEditor = lazy(() => import("./json-editor.tsx").then((module) => ({ default: module.JsonEditor })));

/** Props of {@link PlacePanel}. */
interface PlacePanelProps {
  reader: SchemaReader;
  draft: ConfigDraft;
  at: string;
  /** True when the place is edited as text. */
  asJson: boolean;
  /** Faults of the place, and of the members. */
  faults: readonly SchemaFault[];
  onGo: (pointer: string) => void;
  /** Called by the button that switches between fields and JSON. */
  onView: (json: boolean) => void;
}

/**
 * One place of the config: its path, meaning, allowed values, and controls to change it. The control depends on the
 * value: members, a simple field, a button that sets an unset value, or the JSON editor. A missing place shows a note.
 */
export function PlacePanel(props: PlacePanelProps) {
  const { reader, draft, at, asJson, faults, onGo, onView } = props;
  const value = valueAt(draft.document, at);
  if (value === undefined) {
    return (
      <>
        <PlacePath at={at} onGo={onGo} />
        <p className="muted">
          Nothing stands there. It may have been removed, or the address is of another config.
        </p>
      </>
    );
  }
  const place = reader.at(draft.document, at);
  const own = faults.find(({ path }) => path === at);
  return (
    <>
      <PlacePath at={at} onGo={onGo} />
      {place.description !== "" && (
        <p className="place-description">
          <Prose text={place.description} />
        </p>
      )}
      <div className="place-type">
        <span>{kindText(place, value)}</span>
        <button type="button" className="button" aria-pressed={asJson} onClick={() => onView(!asJson)}>
          {asJson ? "Edit by fields" : "Edit as JSON"}
        </button>
      </div>
      {own !== undefined && <p className="fault-text">{own.message}</p>}
      <PlaceEditor {...props} place={place} value={value} />
    </>
  );
}

/** The inputs of {@link PlaceEditor}. */
interface PlaceEditorProps extends PlacePanelProps {
  place: PlaceSchema;
  value: JsonValue;
}

/** The control that changes a place: the JSON editor, the members, a button that sets an unset value, or a field. */
function PlaceEditor(props: PlaceEditorProps) {
  const { reader, draft, at, asJson, place, value } = props;
  if (asJson) {
    return (
      <Suspense
        fallback={
          <p className="muted" role="status">
            Opening the editor …
          </p>
        }
      >
        <JsonEditor
          key={`${draft.running.etag} ${draft.edits.length}`}
          value={value}
          reader={reader}
          schema={reader.schemaAt(draft.document, at)}
          onChange={(next) => draft.edit({ op: "replace", path: at, value: next })}
        />
      </Suspense>
    );
  }
  if (Array.isArray(value) || isObject(value)) {
    return <MemberList {...props} value={value} place={place} />;
  }
  if (value === null && (place.types.has("object") || place.types.has("array"))) {
    return (
      <button
        type="button"
        className="button"
        data-editor
        onClick={() => draft.edit({ op: "replace", path: at, value: firstValue(reader, place) })}
      >
        Nothing is set here: begin
      </button>
    );
  }
  return (
    <ValueEditor
      key={JSON.stringify(value)}
      label={lastPart(at)}
      place={place}
      value={value}
      first
      onChange={(next) => draft.edit({ op: "replace", path: at, value: next })}
    />
  );
}

/** The path from the top to the place; each step but the last is a button. */
function PlacePath({ at, onGo }: { at: string; onGo: (pointer: string) => void }) {
  let pointer = "";
  const steps = pointerParts(at).map((name) => {
    pointer = below(pointer, name);
    return { name, pointer };
  });
  const all = [{ name: "config", pointer: "" }, ...steps];
  return (
    <nav className="place-path mono" aria-label="Place in the config">
      {all.map((step, index) => (
        <span key={step.pointer}>
          {index > 0 && <span className="unit">/ </span>}
          {index === all.length - 1 ? (
            <span aria-current="location">{step.name}</span>
          ) : (
            <button type="button" onClick={() => onGo(step.pointer)}>
              {step.name}
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

/** The allowed kinds in words: from the schema, else from the value. */
function kindText(place: PlaceSchema, value: JsonValue): string {
  if (place.types.size > 0) {
    return [...place.types].map(typeName).join(" or ");
  }
  if (place.choices.length > 0) {
    return "one of a list";
  }
  return {
    text: "a text",
    switch: "true or false",
    null: "nothing",
    list: "a list",
    object: "an object",
    number: "a number",
  }[kindOf(value)];
}
