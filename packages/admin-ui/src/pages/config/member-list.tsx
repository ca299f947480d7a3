import { useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { isObject, type JsonObject, type JsonValue } from "../../api/json-value.ts";
import { Prose } from "../../components/prose.tsx";
import { endOf } from "../../config/apply-operation.ts";
import type { SchemaFault } from "../../config/find-faults.ts";
import { firstValue } from "../../config/first-value.ts";
import { below } from "../../config/json-pointer.ts";
import type { PlaceSchema, SchemaReader } from "../../config/schema.ts";
import { membersOf, preview } from "../../config/tree-rows.ts";
import { AddField } from "./add-field.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";
import { ValueEditor } from "./value-editor.tsx";

/** Members that are drawn at first; lists of thousands are edited as JSON, or element by element in the tree. */
const firstShown = 200;

/** The inputs of {@link MemberList}. */
interface MemberListProps {
  /** Knows the schema of the whole config. */
  reader: SchemaReader;
  /** Takes the edits. */
  draft: ConfigDraft;
  /** Pointer to the object or list. */
  at: string;
  value: JsonObject | JsonValue[];
  /** Schema of the object or list. */
  place: PlaceSchema;
  /** Faults of the object or list, and of the members. */
  faults: readonly SchemaFault[];
  /** Called to select another place. */
  onGo: (pointer: string) => void;
}

/**
 * The members of an object or a list. Simple ones are changed in place, others by a click that goes there.
 * Members can be added and removed; list items also moved. An empty list shows a note; of more than 200, the
 * rest waits behind a button.
 */
export function MemberList(props: MemberListProps) {
  const { reader, draft, at, value, place, faults, onGo } = props;
  const [all, setAll] = useState(false);
  const members = membersOf(value);
  const shown = all ? members : members.slice(0, firstShown);
  const isList = Array.isArray(value);

  // A new object or list is selected immediately, because it has no value to edit in place.
  function add(name: string | undefined) {
    const schema = isList ? place.items : reader.below(place, name ?? "");
    const first = firstValue(reader, reader.place(schema ?? {}, undefined));
    draft.edit({ op: "add", path: isList ? endOf(at) : below(at, name ?? ""), value: first });
    if (typeof first === "object") {
      onGo(below(at, isList ? members.length : (name ?? "")));
    }
  }

  return (
    <>
      {members.length === 0 && <p className="muted">Nothing in it yet.</p>}
      <ul className="members">
        {shown.map(([name, member], index) => {
          const pointer = below(at, name);
          const schema = reader.below(place, name);
          const inner = reader.place(schema ?? {}, member);
          const fault = faults.find(({ path }) => path === pointer);
          return (
            <li key={isList && typeof member !== "object" ? `${name} ${member}` : name} className="member">
              <button type="button" className="member-name" onClick={() => onGo(pointer)}>
                {name}
              </button>
              <div className="member-value">
                {typeof member === "object" && member !== null ? (
                  <button type="button" className="member-preview" onClick={() => onGo(pointer)}>
                    {preview(member)} <span className="unit">{sizeText(member)}</span>
                  </button>
                ) : (
                  <ValueEditor
                    key={JSON.stringify(member)}
                    label={name}
                    place={inner}
                    value={member}
                    first={index === 0}
                    onChange={(next) => draft.edit({ op: "replace", path: pointer, value: next })}
                  />
                )}
              </div>
              <div className="member-tools">
                {isList && (
                  <>
                    <MoveButton name={name} up disabled={index === 0} onMove={() => move(index, index - 1)} />
                    <MoveButton
                      name={name}
                      up={false}
                      disabled={index === members.length - 1}
                      onMove={() => move(index, index + 1)}
                    />
                  </>
                )}
                <button
                  type="button"
                  className="icon-button"
                  aria-label={`Remove ${name}`}
                  title={`Remove ${name}`}
                  onClick={() => draft.edit({ op: "remove", path: pointer })}
                >
                  <Icon name="close" />
                </button>
              </div>
              {!isList && inner.description !== "" && (
                <p className="member-note">
                  <Prose text={inner.description} />
                </p>
              )}
              {fault !== undefined && (typeof member === "object" || schema === undefined) && (
                <p className="member-note fault-text">
                  {name} {fault.message}
                </p>
              )}
            </li>
          );
        })}
      </ul>
      {shown.length < members.length && (
        <p>
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {members.length}
          </button>
        </p>
      )}
      {faults
        .filter(({ message }) => message === "is missing")
        .map(({ path }) => (
          <p key={path} className="fault-text">
            {path.slice(at.length + 1)} is missing
          </p>
        ))}
      {isList ? (
        <div className="add-member">
          <button type="button" className="button" onClick={() => add(undefined)}>
            Add an element
          </button>
        </div>
      ) : (
        <AddField reader={reader} place={place} present={value} onAdd={add} />
      )}
    </>
  );

  function move(from: number, to: number) {
    draft.edit({ op: "move", from: below(at, from), path: below(at, to) });
  }
}

/** The button that moves an element of a list one place up or down. */
function MoveButton(props: { name: string; up: boolean; disabled: boolean; onMove: () => void }) {
  const { name, up, disabled, onMove } = props;
  const label = `Move ${name} ${up ? "up" : "down"}`;
  return (
    <button
      type="button"
      className={`icon-button ${up ? "up" : "down"}`}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onMove}
    >
      <Icon name="caret" />
    </button>
  );
}

/** `1 field`, `3 fields` of an object; `1 element`, `3 elements` of a list. */
function sizeText(value: JsonValue): string {
  const size = membersOf(value).length;
  if (isObject(value)) {
    return size === 1 ? "1 field" : `${size} fields`;
  }
  return size === 1 ? "1 element" : `${size} elements`;
}
