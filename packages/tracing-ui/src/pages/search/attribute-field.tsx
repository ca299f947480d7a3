import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import { attributeNamesQuery } from "../../api/analysis.ts";
import { isAttribute } from "./columns.ts";
import { conditionsOf } from "./search-of.ts";
import { attributeName } from "./traceql-fields.ts";

const route = getRouteApi("/search");

/** Maximum number of names offered below the field. A longer text narrows them. */
const mostOffered = 50;
/** TraceQL intrinsics with text values, for columns and groups. */
const intrinsics = ["name", "kind", "status", "statusMessage", "rootName", "rootServiceName"];

/**
 * A field for one attribute, found by any part of the name. Enter or the button takes the first
 * match. A text that is not an attribute is marked, with an example below. An error shows when the names could not
 * be read.
 * @param label text of the label and of the button
 * @param onTake called with the attribute in TraceQL syntax
 */
export function AttributeField(props: { id: string; label: string; onTake: (attribute: string) => void }) {
  const { id, label, onTake } = props;
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const names = useQuery(attributeNamesQuery(conditionsOf(route.useSearch()).range));
  const part = text.trim().toLowerCase();
  const known = (names.data ?? [])
    .filter(({ scope }) => scope !== "intrinsic")
    .map(({ scope, name }) => attributeName(scope, name));
  const all = [...intrinsics, ...known];
  const items = all.filter((name) => name.toLowerCase().includes(part)).slice(0, mostOffered);

  function take(event: KeyboardEvent | undefined) {
    event?.preventDefault();
    event?.stopPropagation();
    // A partial name stands for the first match.
    const meant = all.includes(text.trim()) ? text.trim() : (items[0] ?? text.trim());
    const isOne = part !== "" && isAttribute(meant);
    setWrong(!isOne);
    if (isOne) {
      setText("");
      onTake(meant);
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside leaves Enter to this element
    <div className="attribute-field" onKeyDown={(event) => event.key === "Enter" && take(event)}>
      <label htmlFor={id}>{label}</label>
      <CompletionField
        value={text}
        onValue={(value) => {
          setText(value);
          setWrong(false);
        }}
        onCaret={() => {}}
        completions={{
          from: 0,
          to: text.length,
          items: items.map((name) => ({ text: name, isWhole: true })),
        }}
        field={{
          ...{ id, className: "field mono", placeholder: "span.http.method" },
          "aria-invalid": isWrong,
          "aria-describedby": isWrong || names.isError ? `${id}-error` : undefined,
        }}
      />
      <button type="button" className="button" disabled={part === ""} onClick={() => take(undefined)}>
        {label}
      </button>
      {(isWrong || names.isError) && (
        <p id={`${id}-error`} className="field-error">
          {isWrong ? "Write one attribute, such as span.http.method" : `No names: ${names.error?.message}`}
        </p>
      )}
    </div>
  );
}
