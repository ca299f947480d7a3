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

/** Maximum number of members drawn at first; lists of thousands can be edited as JSON, or by element in the tree. */
const firstShown = 200;

/** Props of {@link MemberList}. */
interface MemberListProps {
  /** Reader for the schema of the whole config. */
  reader: SchemaReader;
  /** Receives the edits. */
  draft: ConfigDraft;
  /** Pointer to the object or list. */
  at: string;
  value: JsonObject | JsonValue[];
  place: PlaceSchema;
  /** Faults of the object or list, and of the members. */
  faults: readonly SchemaFault[];
  /** Called to select another place. */
  onGo: (pointer: string) => void;
}

/**
 * Lists the members of an object or a list, one row each. Simple values are edited in place; a click on others selects
 * them. Members can be added and removed; list items also moved. An empty list shows a note; above 200 members, a
 * button shows the rest.
 */
export function MemberList(props: MemberListProps) {
  const { reader, draft, at, value, place, faults, onGo } = props;
  const [all, setAll] = useState(false);
  const members = membersOf(value);
  const shown = all ? members : members.slice(0, firstShown);
  const isList = Array.isArray(value);

  // A new object or list is selected at once, because it cannot be edited in place.
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
        {shown.map(([name, member], index) => (
          <MemberItem
            key={isList && typeof member !== "object" ? `${name} ${member}` : name}
            {...{ reader, draft, place, faults, onGo, name, member, index }}
            pointer={below(at, name)}
            count={isList ? members.length : undefined}
            onMove={move}
          />
        ))}
      </ul>
      {shown.length < members.length && (
        <p>
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {members.length}
          </button>
        </p>
      )}
      <MissingFields at={at} faults={faults} />
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

/** The inputs of {@link MemberItem}. */
interface MemberItemProps extends Pick<MemberListProps, "reader" | "draft" | "place" | "faults" | "onGo"> {
  /** Name of the field, or index in the list. */
  name: string;
  member: JsonValue;
  pointer: string;
  /** Place among the members, from 0. */
  index: number;
  /** Length of the list; undefined for a field of an object, which is not moved. */
  count: number | undefined;
  /** Called to move an element of a list from one index to another. */
  onMove: (from: number, to: number) => void;
}

/** A member: its name, its value or a button that opens it, its tools, and below them its description and its fault. */
function MemberItem(props: MemberItemProps) {
  const { reader, draft, place, faults, onGo, name, member, pointer, index, count } = props;
  const schema = reader.below(place, name);
  const inner = reader.place(schema ?? {}, member);
  const fault = faults.find(({ path }) => path === pointer);
  return (
    <li className="member">
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
      <MemberTools {...props} />
      {count === undefined && inner.description !== "" && (
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
}

/** The buttons of a member: up and down for an element of a list, and one that removes it. */
function MemberTools({ draft, name, pointer, index, count, onMove }: MemberItemProps) {
  return (
    <div className="member-tools">
      {count !== undefined && (
        <>
          <MoveButton name={name} up disabled={index === 0} onMove={() => onMove(index, index - 1)} />
          <MoveButton
            name={name}
            up={false}
            disabled={index === count - 1}
            onMove={() => onMove(index, index + 1)}
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
  );
}

/** The required fields that an object lacks, one line each. */
function MissingFields({ at, faults }: Pick<MemberListProps, "at" | "faults">) {
  return faults
    .filter(({ message }) => message === "is missing")
    .map(({ path }) => (
      <p key={path} className="fault-text">
        {path.slice(at.length + 1)} is missing
      </p>
    ));
}

/** The button that moves a list element one place up or down. */
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
