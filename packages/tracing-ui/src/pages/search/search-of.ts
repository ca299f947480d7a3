import type { AskedRange, SpanConditions } from "../../api/analysis.ts";
import type { TraceSearch } from "../../api/queries.ts";
import { parseDuration } from "../../format/parse-duration.ts";
import { lengthUs } from "../../links/jaeger-links.ts";
import { uiConfig } from "../../links/ui-config.ts";
import { lookbacks, type SearchAddress } from "../../searches/search-address.ts";
import { parseTagText } from "../../searches/tag-text.ts";

/** Error messages by field of the form. */
export type FieldErrors = Partial<Record<"tags" | "minDuration" | "maxDuration" | "range", string>>;

/**
 * Builds the search of an address or of the form.
 * @returns `search`, undefined without a service or when a field is wrong; `errors`, by field
 */
export function searchOf(address: SearchAddress): { search: TraceSearch | undefined; errors: FieldErrors } {
  const { conditions, range, errors } = conditionsOf(address);
  if (conditions === undefined || range === undefined || !conditions.service) {
    return { search: undefined, errors };
  }
  return {
    search: { ...conditions, service: conditions.service, limit: address.limit, range },
    errors,
  };
}

/**
 * The conditions on a span in the fields of an address.
 * @returns `conditions`, undefined when a field is invalid; `range`, undefined when invalid; `errors`, by field
 */
export function conditionsOf(address: SearchAddress): {
  conditions: SpanConditions | undefined;
  range: AskedRange | undefined;
  errors: FieldErrors;
} {
  const errors: FieldErrors = {};
  const tags = parseTagText(address.tags ?? "");
  if (!tags.ok) {
    errors.tags = tags.message;
  }
  const minDuration = address.minDuration?.trim() || undefined;
  const maxDuration = address.maxDuration?.trim() || undefined;
  const min = minDuration === undefined ? undefined : parseDuration(minDuration);
  const max = maxDuration === undefined ? undefined : parseDuration(maxDuration);
  if (minDuration !== undefined && min === undefined) {
    errors.minDuration = durationComplaint(minDuration);
  }
  if (maxDuration !== undefined && max === undefined) {
    errors.maxDuration = durationComplaint(maxDuration);
  }
  if (min !== undefined && max !== undefined && max < min) {
    errors.maxDuration = `Shorter than ${minDuration}`;
  }
  const range = rangeOf(address);
  if (range === undefined) {
    errors.range = "Give a start and a later end";
  }
  if (!tags.ok || Object.keys(errors).length > 0) {
    return { conditions: undefined, range, errors };
  }
  const { service, operation } = address;
  return { conditions: { service, operation, tags: tags.tags, minDuration, maxDuration }, range, errors };
}

/** Error message for a text that is not a duration, such as `100` without a unit. */
function durationComplaint(text: string): string {
  return /^\d+(\.\d+)?$/.test(text) ? `Add a unit: ${text}ms or ${text}s` : "Write 300ms, 1.5s or 2h45m";
}

/** The requested time range; undefined for a custom range without a start and a later end. */
function rangeOf({ lookback, start, end }: SearchAddress, { search } = uiConfig): AskedRange | undefined {
  if (lookback !== "custom") {
    const lookbackUs = lookbacks.find((entry) => entry.value === lookback)?.us ?? 3_600e6;
    const agoUs = lengthUs(search.adjustEndTime ?? "");
    return agoUs === undefined ? { lookbackUs } : { lookbackUs, agoUs };
  }
  return start === undefined || end === undefined || end <= start
    ? undefined
    : { startUs: start, endUs: end };
}
