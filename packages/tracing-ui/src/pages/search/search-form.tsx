import "./search-form.css";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import { dateTimeFieldText, parseDateTimeField, zoneLabel } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import type { Capabilities } from "../../api/analysis.ts";
import { meantName, NameField } from "../../components/name-field.tsx";
import { offeredLimits, offeredLookbacks } from "../../searches/offered.ts";
import { lookbacks, type SearchAddress } from "../../searches/search-address.ts";
import { conditionsOf, type FieldErrors } from "./search-of.ts";
import { fieldsOfTraceQl, traceQlOfFields } from "./traceql-fields.ts";
import { useCompletions } from "./use-completions.ts";

/** Loaded when it is shown. Where that fails, as after an update of the server, a plain field takes its place. */
const TraceQlEditor = lazy(() =>
  import("./editor/traceql-editor.tsx").then(
    (file) => ({ default: file.TraceQlEditor }),
    () => ({ default: PlainQueryField }),
  ),
);

/** The simple fields, all empty: TraceQL takes their place. */
const noFields = {
  ...{ service: undefined, operation: undefined, tags: undefined },
  ...{ minDuration: undefined, maxDuration: undefined },
};

/** The inputs of {@link SearchForm}. */
interface SearchFormProps {
  /** The search that is shown. */
  address: SearchAddress;
  /** Whether there is a service to search. */
  hasServices: boolean;
  can: Capabilities;
  /** True while the search runs; the button shows it. */
  searching: boolean;
  /** Called with the draft when no field is wrong. */
  onSearch: (address: SearchAddress) => void;
  /** Stands at the end of the form. */
  children?: ReactNode;
}

/**
 * The search form: simple fields, or the same conditions as TraceQL. It edits a draft, and hands it over when it is
 * right; a search that fails takes nothing from it. Give it a key made of the address, so that another address
 * starts another draft.
 * @param can what the server's store knows: without TraceQL, fields and one service at a time
 */
export function SearchForm(props: SearchFormProps) {
  const { address, hasServices, can, searching, onSearch, children } = props;
  const client = useQueryClient();
  const [draft, setDraft] = useState(address);
  // Errors of a field are shown after the first search; before, half-typed text is not wrong.
  const [asked, setAsked] = useState(true);
  const errors: FieldErrors = asked ? conditionsOf(draft).errors : {};
  const form = useRef<HTMLFormElement>(null);
  // The button that changes the view goes with the view: the keyboard goes on in the new one.
  const [switched, setSwitched] = useState(false);
  const change = (fields: Partial<SearchAddress>) => {
    setDraft({ ...draft, ...fields });
    setAsked(false);
  };
  const switchTo = (fields: Partial<SearchAddress>) => {
    setSwitched(true);
    change(fields);
  };

  async function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (Object.keys(conditionsOf(draft).errors).length > 0) {
      return;
    }
    if (draft.q !== undefined) {
      return onSearch({ ...draft, ...noFields });
    }
    const service = await meantName(client, draft.service);
    if (service === draft.service) {
      return onSearch(draft);
    }
    // Half a name that was typed becomes the whole one, in sight.
    setDraft({ ...draft, service });
    onSearch({ ...draft, service });
  }

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
    <form
      ref={form}
      className={draft.q === undefined ? "search-form" : "search-form with-query"}
      aria-label="Search traces"
      onSubmit={(event) => void submit(event)}
    >
      {draft.q !== undefined ? (
        <QueryField
          q={draft.q}
          focused={switched}
          onSearch={() => form.current?.requestSubmit()}
          onChange={(q) => change({ q })}
          onFields={(fields) => switchTo({ ...noFields, ...fields, q: undefined })}
        />
      ) : (
        <>
          <Field name="service" label="Service">
            <NameField
              id="search-service"
              placeholder={can.traceql ? "All services" : "A service"}
              value={draft.service}
              onChange={(service) => change({ service, operation: undefined })}
            />
          </Field>
          <Field name="operation" label="Operation">
            <NameField
              id="search-operation"
              of={draft.service ?? ""}
              disabled={draft.service === undefined}
              placeholder={draft.service === undefined ? "All (of a service)" : "All operations"}
              value={draft.operation}
              onChange={(operation) => change({ operation })}
            />
          </Field>
          <TagsField
            value={draft.tags ?? ""}
            error={errors.tags}
            can={can}
            focused={switched}
            onChange={(tags) => change({ tags })}
            onQuery={() => switchTo({ q: traceQlOfFields(draft) })}
          />
          <Field name="minDuration" label="Longer than" error={errors.minDuration}>
            <input {...textField("minDuration", "100ms")} />
          </Field>
          <Field name="maxDuration" label="Shorter than" error={errors.maxDuration}>
            <input {...textField("maxDuration", "1.5s")} />
          </Field>
        </>
      )}
      <Field name="limit" label="At most">
        <select
          id="search-limit"
          className="field"
          value={draft.limit}
          onChange={(event) => change({ limit: Number(event.target.value) })}
        >
          {listWith(offeredLimits(), draft.limit).map((limit) => (
            <option key={limit}>{limit}</option>
          ))}
        </select>
      </Field>
      <Field name="lookback" label="Time" error={draft.lookback === "custom" ? undefined : errors.range}>
        <select
          id="search-lookback"
          className="field"
          value={draft.lookback}
          onChange={(event) => change(withRange(draft, event.target.value as SearchAddress["lookback"]))}
        >
          {offeredLookbacks().map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          <option value="custom">From … to …</option>
        </select>
      </Field>
      <div className="search-actions">
        <button type="submit" className="button main search-button" disabled={!hasServices && !can.traceql}>
          {searching ? "Searching…" : "Search"}
        </button>
        {children}
      </div>
      {draft.lookback === "custom" && <RangeFields draft={draft} error={errors.range} onChange={change} />}
    </form>
  );
}

/** A label, a field, and its fault below it. */
function Field(props: {
  name: string;
  label: string;
  error?: string | undefined;
  /** Stands at the end of the label's line. */
  action?: ReactNode;
  children: ReactNode;
}) {
  const { name, label, error, action, children } = props;
  return (
    <div className={`search-field search-field-${name}`}>
      <div className="search-field-head">
        <label htmlFor={`search-${name}`}>{label}</label>
        {action}
      </div>
      {children}
      {error !== undefined && (
        <p id={`search-${name}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}

/** Tags with completion, and the way to TraceQL. */
function TagsField(props: {
  value: string;
  error: string | undefined;
  can: Capabilities;
  /** True: the field gets the focus when it appears. */
  focused: boolean;
  onChange: (tags: string) => void;
  onQuery: () => void;
}) {
  const { value, error, can, focused, onChange, onQuery } = props;
  const [caret, setCaret] = useState(value.length);
  const completions = useCompletions(value, caret, can.traceql);
  const action = can.traceql && (
    <button type="button" className="link" data-command="" onClick={onQuery}>
      Write TraceQL
    </button>
  );
  return (
    <Field name="tags" label="Tags" error={error} action={action}>
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
    </Field>
  );
}

/** The field that the key / goes to. */
const slash = { "data-slash": true };

/** The same query as TraceQL, with a way back when fields can express it. */
function QueryField(props: {
  q: string;
  /** Whether the keyboard goes here at once. */
  focused: boolean;
  onSearch: () => void;
  onChange: (q: string) => void;
  onFields: (fields: ReturnType<typeof fieldsOfTraceQl>) => void;
}) {
  const { q, focused, onSearch, onChange, onFields } = props;
  const fields = fieldsOfTraceQl(q);
  const action =
    fields === undefined ? (
      <span className="muted">more than fields can say</span>
    ) : (
      <button type="button" className="link" data-command="" onClick={() => onFields(fields)}>
        Use fields
      </button>
    );
  return (
    <Field name="q" label="TraceQL" action={action}>
      <Suspense fallback={<div className="field mono cut">{q}</div>}>
        <TraceQlEditor value={q} focused={focused} onValue={onChange} onSearch={onSearch} />
      </Suspense>
    </Field>
  );
}

/** A plain text field for TraceQL, for the case that the editor cannot be loaded. */
function PlainQueryField(props: { value: string; focused: boolean; onValue: (value: string) => void }) {
  const { value, focused, onValue } = props;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) {
      input.current?.focus();
    }
  }, [focused]);
  return (
    <input
      ref={input}
      id="search-q"
      className="field mono"
      aria-label="TraceQL"
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...slash}
    />
  );
}

/** The two fields of a custom time, in the zone of choice. */
function RangeFields(props: {
  draft: SearchAddress;
  error: string | undefined;
  onChange: (fields: Partial<SearchAddress>) => void;
}) {
  const { draft, error, onChange } = props;
  const zone = useChoice(zoneChoice);
  const zoneName = zoneLabel(zone, new Date());
  const field = (name: "start" | "end") => ({
    id: `search-${name}`,
    className: "field mono",
    type: "datetime-local",
    step: 1,
    "aria-invalid": error !== undefined,
    "aria-describedby": error === undefined ? undefined : "search-end-error",
    value: draft[name] === undefined ? "" : dateTimeFieldText(draft[name], zone),
    onChange: (event: { target: { value: string } }) =>
      onChange({ [name]: parseDateTimeField(event.target.value, zone) }),
  });
  return (
    <div className="search-range">
      <Field name="start" label={`From (${zoneName})`}>
        <input {...field("start")} />
      </Field>
      <Field name="end" label={`To (${zoneName})`} error={error}>
        <input {...field("end")} />
      </Field>
    </div>
  );
}

/** A custom range begins as the look back it replaces. */
function withRange(draft: SearchAddress, lookback: SearchAddress["lookback"]): Partial<SearchAddress> {
  if (lookback !== "custom" || draft.start !== undefined) {
    return { lookback };
  }
  const end = Math.ceil(Date.now() / 1_000) * 1e6;
  const us = lookbacks.find((entry) => entry.value === draft.lookback)?.us ?? 3_600e6;
  return { lookback, start: end - us, end };
}

/** The list, with the present value in it even where the service no longer names it. */
function listWith<T>(list: readonly T[], value: T | undefined): readonly T[] {
  return value === undefined || value === "" || list.includes(value) ? list : [value, ...list];
}
