import "./changes-form.css";
import { type FormEvent, type ReactNode, useState } from "react";
import { dateTimeFieldText, parseDateTimeField, zoneLabel } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { NameField } from "../../components/name-field.tsx";
import { ValueField } from "../../components/value-field.tsx";
import { offeredLookbacks } from "../../searches/offered.ts";
import { type ChangesAddress, versionKey } from "./changes-address.ts";
import { type ChangesErrors, changesPlan } from "./changes-plan.ts";

/** The choices for the time range of B with their texts, in the order of the menu. */
const againstTexts: [ChangesAddress["against"], string][] = [
  ["before", "The time before A"],
  ["day", "A day before A"],
  ["week", "A week before A"],
  ["same", "The time of A"],
  ["custom", "From … to …"],
];

/** The inputs of {@link ChangesForm}. */
interface ChangesFormProps {
  /** The comparison that is shown. */
  address: ChangesAddress;
  /** True while the request runs; the button shows it. */
  comparing: boolean;
  /** Called with the draft when the user presses "Compare". */
  onCompare: (address: ChangesAddress) => void;
}

/**
 * The form for both sides of a comparison. It edits a draft and submits it when no field is wrong. Its React
 * key must be made of the address, so that another address begins a new draft.
 */
export function ChangesForm(props: ChangesFormProps) {
  const { address, comparing, onCompare } = props;
  const [draft, setDraft] = useState(address);
  // Errors are shown after a submit and until the next change: half-typed text is not yet an error.
  const [asked, setAsked] = useState(false);
  const errors: ChangesErrors = asked ? changesPlan(draft, Date.now() * 1_000).errors : {};
  const change = (fields: Partial<ChangesAddress>) => {
    setDraft({ ...draft, ...fields });
    setAsked(false);
  };

  function compare(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (Object.keys(changesPlan(draft, Date.now() * 1_000).errors).length === 0) {
      onCompare({ ...draft, all: draft.service === undefined ? "1" : undefined });
    }
  }

  return (
    <form className="changes-form" aria-label="Compare times and versions" onSubmit={compare}>
      <SpanFields draft={draft} change={change} tagError={errors.tags} />
      <div className="changes-line">
        <div className="changes-side">
          <b className="changes-letter a">A</b>
          <LookbackField value={draft.lookback} onValue={(lookback) => change({ lookback })} />
          {draft.lookback === "custom" && (
            <Times names={["start", "end"]} of="A" error={errors.a} {...{ draft, change }} />
          )}
          <SideValue side="a" draft={draft} change={change} />
        </div>
        <div className="changes-side">
          <b className="changes-letter b">B</b>
          <AgainstField
            value={draft.against}
            error={errors.sides}
            onValue={(against) => change({ against })}
          />
          {draft.against === "custom" && (
            <Times names={["bstart", "bend"]} of="B" error={errors.b} {...{ draft, change }} />
          )}
          <SideValue side="b" draft={draft} change={change} />
        </div>
        <button type="submit" className="button main changes-button">
          {comparing ? "Comparing…" : "Compare"}
        </button>
      </div>
    </form>
  );
}

/** The draft of the form and its setter. */
interface DraftProps {
  /** The fields as filled in so far. */
  draft: ChangesAddress;
  /** Called with the fields that change. */
  change: (fields: Partial<ChangesAddress>) => void;
}

/** The fields shared by both sides: service, operation, tags, and the attribute whose values may differ. */
function SpanFields({ draft, change, tagError }: DraftProps & { tagError: string | undefined }) {
  return (
    <div className="changes-line">
      <Field id="changes-service" label="Service">
        <NameField
          id="changes-service"
          placeholder="All services"
          value={draft.service}
          onChange={(service) => change({ service, operation: undefined })}
        />
      </Field>
      <Field id="changes-operation" label="Operation">
        <NameField
          id="changes-operation"
          of={draft.service ?? ""}
          disabled={draft.service === undefined}
          placeholder={draft.service === undefined ? "All (of a service)" : "All operations"}
          value={draft.operation}
          onChange={(operation) => change({ operation })}
        />
      </Field>
      <Field id="changes-tags" label="Only spans with" error={tagError}>
        <input
          id="changes-tags"
          className="field mono"
          placeholder="http.route=/cart"
          spellCheck={false}
          value={draft.tags ?? ""}
          aria-invalid={tagError !== undefined}
          aria-describedby={tagError === undefined ? undefined : "changes-tags-error"}
          onChange={(event) => change({ tags: event.target.value || undefined })}
        />
      </Field>
      <Field id="changes-key" label="Attribute of the values">
        <input
          id="changes-key"
          className="field mono"
          placeholder={versionKey}
          spellCheck={false}
          value={draft.key ?? ""}
          onChange={(event) => change({ key: event.target.value.trim() || undefined })}
        />
      </Field>
    </div>
  );
}

/** The field for the time range of A: a `lookback` up to now, or a custom start and end. */
function LookbackField(props: {
  value: ChangesAddress["lookback"];
  onValue: (value: ChangesAddress["lookback"]) => void;
}) {
  const { value, onValue } = props;
  return (
    <Field id="changes-lookback" label="Time of A">
      <select
        id="changes-lookback"
        className="field"
        value={value}
        onChange={(event) => onValue(event.target.value as ChangesAddress["lookback"])}
      >
        {offeredLookbacks().map(({ value: one, label }) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
        <option value="custom">From … to …</option>
      </select>
    </Field>
  );
}

/** The inputs of {@link AgainstField}. */
interface AgainstFieldProps {
  /** The chosen time range of B. */
  value: ChangesAddress["against"];
  /** Why A and B cannot be compared; undefined when they can. */
  error: string | undefined;
  /** Called with a new choice for the time range of B. */
  onValue: (value: ChangesAddress["against"]) => void;
}

/** The field for the time range of B: relative to A, or a custom start and end. */
function AgainstField({ value, error, onValue }: AgainstFieldProps) {
  return (
    <Field id="changes-against" label="Time of B" error={error}>
      <select
        id="changes-against"
        className="field"
        value={value}
        onChange={(event) => onValue(event.target.value as ChangesAddress["against"])}
      >
        {againstTexts.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The field for the attribute's value on one side. An empty field means any value. */
function SideValue({ side, draft, change }: DraftProps & { side: "a" | "b" }) {
  const key = draft.key ?? versionKey;
  return (
    <Field id={`changes-${side}`} label={`Value of ${side.toUpperCase()}`}>
      <ValueField
        id={`changes-${side}`}
        attribute={key}
        service={draft.service}
        placeholder={`Any ${key}`}
        value={draft[side]}
        onChange={(next) => change({ [side]: next })}
      />
    </Field>
  );
}

/** A label, a field, and its error message below. */
function Field(props: { id: string; label: string; error?: string | undefined; children: ReactNode }) {
  const { id, label, error, children } = props;
  return (
    <div className="changes-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** The four times of the address. */
type TimeName = "start" | "end" | "bstart" | "bend";

/** The start and end fields of a custom time range. The error of the range is shown below the end field. */
function Times(props: {
  names: readonly [from: TimeName, to: TimeName];
  of: "A" | "B";
  /** Error of the time range; undefined for a valid range. */
  error: string | undefined;
  draft: ChangesAddress;
  change: (fields: Partial<ChangesAddress>) => void;
}) {
  const { names, of, error, draft, change } = props;
  const zone = useChoice(zoneChoice);
  const zoneName = zoneLabel(zone, new Date());
  return names.map((name, index) => (
    <Field
      key={name}
      id={`changes-${name}`}
      label={`${of} ${index === 0 ? "from" : "to"} (${zoneName})`}
      error={index === 0 ? undefined : error}
    >
      <input
        id={`changes-${name}`}
        className="field mono"
        type="datetime-local"
        step={1}
        value={draft[name] === undefined ? "" : dateTimeFieldText(draft[name], zone)}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `changes-${names[1]}-error`}
        onChange={(event) => change({ [name]: parseDateTimeField(event.target.value, zone) })}
      />
    </Field>
  ));
}
