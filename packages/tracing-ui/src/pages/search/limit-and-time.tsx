import { dateTimeFieldText, parseDateTimeField, zoneLabel } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { offeredLimits, offeredLookbacks } from "../../searches/offered.ts";
import { lookbacks, type SearchAddress } from "../../searches/search-address.ts";
import { SearchField } from "./search-field.tsx";
import type { FieldErrors } from "./search-of.ts";

/** The inputs of {@link LimitAndTime}. */
interface LimitAndTimeProps {
  /** The edited search, not yet submitted. */
  draft: SearchAddress;
  /** Error messages by field. The error of a custom range is shown at the start and end fields. */
  errors: FieldErrors;
  /** Changes fields of the draft. */
  change: (fields: Partial<SearchAddress>) => void;
}

/** The fields for the limit of traces and for the time range. */
export function LimitAndTime({ draft, errors, change }: LimitAndTimeProps) {
  return (
    <>
      <SearchField name="limit" label="At most">
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
      </SearchField>
      <SearchField
        name="lookback"
        label="Time"
        error={draft.lookback === "custom" ? undefined : errors.range}
      >
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
      </SearchField>
    </>
  );
}

/** The inputs of {@link RangeFields}. */
interface RangeFieldsProps {
  /** The edited search, not yet submitted. */
  draft: SearchAddress;
  /** Error message of the range; undefined for a valid range. */
  error: string | undefined;
  /** Called with the new start or end; undefined for text that is not a time. */
  onChange: (fields: Partial<SearchAddress>) => void;
}

/** The two fields of a custom time range, in the chosen time zone. */
export function RangeFields(props: RangeFieldsProps) {
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
      <SearchField name="start" label={`From (${zoneName})`}>
        <input {...field("start")} />
      </SearchField>
      <SearchField name="end" label={`To (${zoneName})`} error={error}>
        <input {...field("end")} />
      </SearchField>
    </div>
  );
}

/** Changes the `lookback`. A new custom range starts with the times of the `lookback` that it replaces. */
function withRange(draft: SearchAddress, lookback: SearchAddress["lookback"]): Partial<SearchAddress> {
  if (lookback !== "custom" || draft.start !== undefined) {
    return { lookback };
  }
  const end = Math.ceil(Date.now() / 1_000) * 1e6;
  const us = lookbacks.find((entry) => entry.value === draft.lookback)?.us ?? 3_600e6;
  return { lookback, start: end - us, end };
}

/** The choices, with the current value when the list lacks it. */
function listWith<T>(list: readonly T[], value: T | undefined): readonly T[] {
  return value === undefined || value === "" || list.includes(value) ? list : [value, ...list];
}
