import { useState } from "react";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import type { AskedRange, Capabilities } from "../../api/analysis.ts";
import { NameField } from "../../components/name-field.tsx";
import type { SearchAddress } from "../../searches/search-address.ts";
import { SearchField, slash } from "./search-field.tsx";
import { conditionsOf, type FieldErrors } from "./search-of.ts";
import { traceQlOfFields } from "./traceql-fields.ts";
import { useCompletions } from "./use-completions.ts";

/** The inputs of {@link SimpleFields}. */
interface SimpleFieldsProps {
  /** The edited search, not yet submitted. */
  draft: SearchAddress;
  /** Error messages by field; empty while the user edits the draft. */
  errors: FieldErrors;
  /** Abilities of the server's store. */
  can: Capabilities;
  /** True when the field of tags gets the focus on mount. */
  focused: boolean;
  /** Changes fields of the draft. */
  change: (fields: Partial<SearchAddress>) => void;
  /** Changes fields and switches to the TraceQL editor. */
  switchTo: (fields: Partial<SearchAddress>) => void;
}

/** The fields for service, operation, tags and bounds of the duration. An operation needs a service. */
export function SimpleFields({ draft, errors, can, focused, change, switchTo }: SimpleFieldsProps) {
  const textField = (name: "minDuration" | "maxDuration", placeholder: string) => ({
    id: `search-${name}`,
    className: "field mono",
    placeholder,
    spellCheck: false,
    autoComplete: "off",
    value: draft[name] ?? "",
    "aria-invalid": errors[name] !== undefined,
    "aria-describedby": errors[name] === undefined ? undefined : `search-${name}-error`,
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  return (
    <>
      <SearchField name="service" label="Service">
        <NameField
          id="search-service"
          placeholder={can.traceql ? "All services" : "A service"}
          value={draft.service}
          onChange={(service) => change({ service, operation: undefined })}
        />
      </SearchField>
      <SearchField name="operation" label="Operation">
        <NameField
          id="search-operation"
          of={draft.service ?? ""}
          disabled={draft.service === undefined}
          placeholder={draft.service === undefined ? "All (of a service)" : "All operations"}
          value={draft.operation}
          onChange={(operation) => change({ operation })}
        />
      </SearchField>
      <TagsField
        value={draft.tags ?? ""}
        error={errors.tags}
        range={conditionsOf(draft).range}
        can={can}
        focused={focused}
        onChange={(tags) => change({ tags })}
        onQuery={() => switchTo({ q: traceQlOfFields(draft) })}
      />
      <SearchField name="minDuration" label="Longer than" error={errors.minDuration}>
        <input {...textField("minDuration", "100ms")} />
      </SearchField>
      <SearchField name="maxDuration" label="Shorter than" error={errors.maxDuration}>
        <input {...textField("maxDuration", "1.5s")} />
      </SearchField>
    </>
  );
}

/** The inputs of {@link TagsField}. */
interface TagsFieldProps {
  /** The tags as text: `error=true http.route="/api"`. */
  value: string;
  /** Error message of the text; undefined for valid tags. */
  error: string | undefined;
  /** Time range of the search; undefined while a custom range is incomplete. */
  range: AskedRange | undefined;
  /** Abilities of the server's store. */
  can: Capabilities;
  /** True when the field gets the focus on mount. */
  focused: boolean;
  /** Called with the text after each change. */
  onChange: (tags: string) => void;
  /** Called by the button that switches to TraceQL. */
  onQuery: () => void;
}

/** The field of tags with completion, and the button that switches to TraceQL. */
function TagsField(props: TagsFieldProps) {
  const { value, error, range, can, focused, onChange, onQuery } = props;
  const [caret, setCaret] = useState(value.length);
  const completions = useCompletions(value, caret, { enabled: can.traceql, range });
  const action = can.traceql && (
    <button type="button" className="link" data-command="" onClick={onQuery}>
      Write TraceQL
    </button>
  );
  return (
    <SearchField name="tags" label="Tags" error={error} action={action}>
      <CompletionField
        value={value}
        onValue={onChange}
        onCaret={setCaret}
        completions={completions}
        field={{
          ...{
            id: "search-tags",
            className: "field mono",
            placeholder: 'error=true http.route="/api/v1 beta"',
          },
          ...{ "aria-invalid": error !== undefined, autoFocus: focused, ...slash },
          "aria-describedby": error === undefined ? undefined : "search-tags-error",
        }}
      />
    </SearchField>
  );
}
