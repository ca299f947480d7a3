import "./search-form.css";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { operationsQuery } from "../../api/queries.ts";
import { dateTimeFieldText, parseDateTimeField, zoneLabel } from "../../format/format-time.ts";
import { zoneChoice } from "../../theme/preferences.ts";
import { useChoice } from "../../theme/stored-choice.ts";
import { limits, lookbacks, type SearchAddress } from "./search-address.ts";
import { type FieldErrors, searchOf } from "./search-of.ts";

/**
 * The search form. It edits a draft, and hands it over when it is right; a search that fails takes nothing
 * from it. Give it a key made of the address, so that another address starts another draft.
 */
export function SearchForm(props: {
  address: SearchAddress;
  services: readonly string[];
  searching: boolean;
  onSearch: (address: SearchAddress) => void;
}) {
  const { address, services, searching, onSearch } = props;
  const [draft, setDraft] = useState(address);
  // Errors of a field show once somebody asked for a search; before, half-typed text is not wrong.
  const [asked, setAsked] = useState(true);
  const errors: FieldErrors = asked ? searchOf(draft).errors : {};
  const change = (fields: Partial<SearchAddress>) => {
    setDraft({ ...draft, ...fields });
    setAsked(false);
  };

  function submit(event: FormEvent) {
    event.preventDefault();
    setAsked(true);
    if (Object.keys(searchOf(draft).errors).length === 0) onSearch(draft);
  }

  const textField = (name: "tags" | "minDuration" | "maxDuration", placeholder: string) => ({
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
    <form className="search-form" aria-label="Search traces" onSubmit={submit}>
      <Field name="service" label="Service">
        <select
          id="search-service"
          className="field"
          value={draft.service ?? ""}
          onChange={(event) => change({ service: event.target.value, operation: undefined })}
        >
          {listWith(services, draft.service).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <OperationField
        service={draft.service ?? ""}
        value={draft.operation}
        onChange={(operation) => change({ operation })}
      />
      <Field name="tags" label="Tags" error={errors.tags}>
        <input {...textField("tags", 'error=true http.route="/api/v1 beta"')} data-slash />
      </Field>
      <Field name="minDuration" label="Longer than" error={errors.minDuration}>
        <input {...textField("minDuration", "100ms")} />
      </Field>
      <Field name="maxDuration" label="Shorter than" error={errors.maxDuration}>
        <input {...textField("maxDuration", "1.5s")} />
      </Field>
      <Field name="limit" label="At most">
        <select
          id="search-limit"
          className="field"
          value={draft.limit}
          onChange={(event) => change({ limit: Number(event.target.value) })}
        >
          {listWith(limits, draft.limit).map((limit) => (
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
          {lookbacks.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
          <option value="custom">From … to …</option>
        </select>
      </Field>
      <button type="submit" className="button main search-button" disabled={services.length === 0}>
        {searching ? "Searching…" : "Search"}
      </button>
      {draft.lookback === "custom" && <RangeFields draft={draft} error={errors.range} onChange={change} />}
    </form>
  );
}

function Field(props: { name: string; label: string; error?: string | undefined; children: ReactNode }) {
  const { name, label, error, children } = props;
  return (
    <div className={`search-field search-field-${name}`}>
      <label htmlFor={`search-${name}`}>{label}</label>
      {children}
      {error !== undefined && (
        <p id={`search-${name}-error`} className="search-field-error">
          {error}
        </p>
      )}
    </div>
  );
}

function OperationField(props: {
  service: string;
  value: string | undefined;
  onChange: (operation: string | undefined) => void;
}) {
  const operations = useQuery(operationsQuery(props.service));
  return (
    <Field name="operation" label="Operation">
      <select
        id="search-operation"
        className="field"
        value={props.value ?? ""}
        onChange={(event) => props.onChange(event.target.value || undefined)}
      >
        <option value="">All operations</option>
        {listWith(operations.data ?? [], props.value).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Field>
  );
}

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
  if (lookback !== "custom" || draft.start !== undefined) return { lookback };
  const end = Math.ceil(Date.now() / 1_000) * 1e6;
  const us = lookbacks.find((entry) => entry.value === draft.lookback)?.us ?? 3_600e6;
  return { lookback, start: end - us, end };
}

/** The list, with the present value in it even where the service no longer names it. */
function listWith<T>(list: readonly T[], value: T | undefined): readonly T[] {
  return value === undefined || value === "" || list.includes(value) ? list : [value, ...list];
}
