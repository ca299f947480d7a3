import { type FormEvent, useState } from "react";
import { type Completion, CompletionField } from "ui-kit/components/completion-field.tsx";
import type { JsonObject } from "../../api/json-value.ts";
import { Prose } from "../../components/prose.tsx";
import { typeName } from "../../config/find-faults.ts";
import type { PlaceSchema, SchemaReader } from "../../config/schema.ts";

/** Props of {@link AddField}. */
interface AddFieldProps {
  /** Reader for the schema of the whole config. */
  reader: SchemaReader;
  /** Schema of the object that gets the new member. */
  place: PlaceSchema;
  /** The current object. */
  present: JsonObject;
  /** Called with the trimmed name. */
  onAdd: (name: string) => void;
}

/**
 * A field for the name of a new member. Known names are completed, with their meaning. An existing or unknown name
 * cannot be added; a line below explains this.
 */
export function AddField(props: AddFieldProps) {
  const { reader, place, present, onAdd } = props;
  const [text, setText] = useState("");
  const name = text.trim();
  const free = [...place.fields].filter(([field]) => !Object.hasOwn(present, field));
  const items = free
    .filter(([field]) => field.toLowerCase().includes(name.toLowerCase()) && field !== name)
    .map(([field, schema]): Completion => {
      const { types } = reader.place(schema, undefined);
      return { text: field, note: [...types].map(typeName).join(", ") };
    });
  const schema = name === "" ? undefined : reader.below(place, name);
  const there = Object.hasOwn(present, name);
  const unknown = name !== "" && schema === undefined && place.otherFields === false;
  const description = schema === undefined ? "" : reader.place(schema, undefined).description;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (name === "" || there || unknown) {
      return;
    }
    onAdd(name);
    setText("");
  }

  return (
    <form className="add-member" onSubmit={submit}>
      <CompletionField
        value={text}
        onValue={setText}
        onCaret={() => {}}
        completions={{ from: 0, to: text.length, items }}
        field={{
          className: "field value-field",
          "aria-label": "Name of a new field",
          placeholder: place.fields.size > 0 ? "Add a field: ↓ shows what there is" : "Name of a new field",
        }}
      />
      <button type="submit" className="button" disabled={name === "" || there || unknown}>
        Add
      </button>
      <p className="muted" role="status">
        {there ? (
          `${name} is there already`
        ) : unknown ? (
          `${name} is no field of this object`
        ) : (
          <Prose text={description} />
        )}
      </p>
    </form>
  );
}
