import type { SpanFilter, TimeRange } from "storage/api";
import { type SpanKind, spanKinds } from "wire/model";
import { z } from "zod";
import { parseDurationNano } from "../../go-text/go-duration.ts";
import { QueryError } from "../../query-error.ts";
import { checkLimits, type ReadLimits } from "../../service/read-limits.ts";

/** Default length of a time range, in microseconds. */
const defaultLookbackUs = 3_600_000_000;

const maxTextLength = 4_096;

const text = z.string().max(maxTextLength);

/** Microseconds since the Unix epoch whose nanoseconds fit in 64 bits: years 1684 to 2255. */
const time = z.int().min(-9_000_000_000_000_000).max(9_000_000_000_000_000);

function isDuration(value: string): boolean {
  try {
    return parseDurationNano(value) >= 0n;
  } catch {
    return false;
  }
}

/** A duration as Go writes it; not negative. */
export const duration = z
  .string()
  .max(100)
  .refine(isDuration, { error: 'not a duration such as "1.5s", "200ms", "42us" or "1024ns"' });

/** The time range in which spans start. */
export const timeFields = {
  start: time
    .optional()
    .describe(
      "Spans that start at this time or later: microseconds since the Unix epoch; an hour before `end` by default.",
    ),
  end: time
    .optional()
    .describe("Spans that start before this time: microseconds since the Unix epoch; now by default."),
};

/** Conditions on a span; all must be met. URLs and JSON use the same names. */
export const spanFields = {
  service: text.optional().describe("Name of the service; every service when absent."),
  operation: text.optional().describe("Name of the span; every operation when absent."),
  minDuration: duration
    .optional()
    .describe('Shortest duration, with its unit: "1.5s", "200ms", "42us", "1024ns".'),
  maxDuration: duration.optional().describe("Longest duration, in the same form."),
  error: z
    .boolean()
    .optional()
    .describe("Only spans with an error, or only those without; both when absent."),
  kind: z.enum(spanKinds).optional().describe("Only spans of this kind."),
};

const tagsField = z
  .record(text, text)
  .optional()
  .describe(
    "Tags that the span has: keys and values in text form, looked for in attributes of the span, its resource and its events.",
  );

/** A filter as JSON. */
export const spanFilterSchema = z.strictObject({ ...timeFields, ...spanFields, tags: tagsField }).meta({
  id: "SpanFilter",
  description: "Conditions for spans; all must be met. As the search takes them.",
});

/** A filter as URL parameters; `tag` has one tag, as in a search. */
export const spanFilterParams = {
  ...timeFields,
  ...spanFields,
  tags: tagsField,
  tag: z.array(text).optional().describe("A tag as `key:value`; several times."),
};

/** A parsed filter. A missing condition is absent or undefined. */
export interface SpanFilterValues {
  /** Start of the range in microseconds since 1970. */
  readonly start?: number | undefined;
  /** End of the range in microseconds since 1970. */
  readonly end?: number | undefined;
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  /** Minimum duration, as Go writes it: `1.5s`. */
  readonly minDuration?: string | undefined;
  /** Maximum duration. */
  readonly maxDuration?: string | undefined;
  /** True for failed spans, false for successful ones. */
  readonly error?: boolean | undefined;
  readonly kind?: SpanKind | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Tags as texts `key:value`. */
  readonly tag?: readonly string[] | undefined;
}

function bad(parameter: string, message: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", message, { parameter });
}

function tagsOf({ tags = {}, tag = [] }: SpanFilterValues, path: string): Map<string, string> {
  const all = new Map<string, string>();
  for (const pair of tag) {
    const colon = pair.indexOf(":");
    if (colon === -1) {
      throw bad(`${path}tag`, `parameter '${path}tag' is not key:value`);
    }
    all.set(pair.slice(0, colon), pair.slice(colon + 1));
  }
  for (const [key, value] of Object.entries(tags)) {
    all.set(key, value);
  }
  return all;
}

/**
 * Reads the time range of a filter. It is half open, so that adjacent ranges share no span.
 * @param path prefix of parameter names in errors, such as `selection.`
 * @throws QueryError QUERY_BAD_PARAMETER when the end is not after the start, or past --query.max-time-range
 */
export function timeRangeOf(
  { start, end }: Pick<SpanFilterValues, "start" | "end">,
  nowMs: number,
  limits: ReadLimits,
  path = "",
): TimeRange {
  const endUs = end ?? nowMs * 1_000;
  const startUs = start ?? endUs - defaultLookbackUs;
  if (endUs <= startUs) {
    throw bad(`${path}end`, `parameter '${path}end' is not after '${path}start'`);
  }
  const range = { startUnixNano: BigInt(startUs) * 1_000n, endUnixNano: BigInt(endUs) * 1_000n - 1n };
  checkLimits(
    { limit: 1, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
    limits,
  );
  return range;
}

/** The conditions of a filter, without its time range. @throws QueryError QUERY_BAD_PARAMETER */
export function spanConditionsOf(
  values: SpanFilterValues,
  path = "",
): Omit<SpanFilter, "startTimeMinUnixNano" | "startTimeMaxUnixNano"> {
  const { service, operation, minDuration, maxDuration, error, kind } = values;
  const durationMinNano = minDuration === undefined ? 0n : parseDurationNano(minDuration);
  const durationMaxNano = maxDuration === undefined ? 0n : parseDurationNano(maxDuration);
  if (durationMaxNano !== 0n && durationMaxNano < durationMinNano) {
    throw bad(`${path}maxDuration`, `parameter '${path}maxDuration' is shorter than '${path}minDuration'`);
  }
  return {
    service: service ?? "",
    operation: operation ?? "",
    tags: tagsOf(values, path),
    durationMinNano,
    durationMaxNano,
    ...(kind === undefined ? {} : { spanKind: kind }),
    ...(error === undefined ? {} : { hasError: error }),
  };
}

/** Reads the whole filter. @throws QueryError QUERY_BAD_PARAMETER */
export function spanFilterOf(
  values: SpanFilterValues,
  nowMs: number,
  limits: ReadLimits,
  path = "",
): SpanFilter {
  const { startUnixNano, endUnixNano } = timeRangeOf(values, nowMs, limits, path);
  return {
    ...spanConditionsOf(values, path),
    startTimeMinUnixNano: startUnixNano,
    startTimeMaxUnixNano: endUnixNano,
  };
}
