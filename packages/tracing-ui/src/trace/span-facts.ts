import type { ApiAttribute, ApiSpan } from "./trace-schema.ts";

/** Durations from this value on are negative durations that lost their sign in the unsigned field. */
const negativeFromUs = 2 ** 63;

/** The span's duration in microseconds; 0 for a negative duration. */
export function spanDurationUs(span: ApiSpan): number {
  return isNegativeDuration(span) ? 0 : span.duration;
}

/** True when the span ended before it began, by its own clock. */
export function isNegativeDuration(span: ApiSpan): boolean {
  return !(span.duration >= 0 && span.duration < negativeFromUs);
}

/**
 * True when the span failed: `otel.status_code` is ERROR, or the tag `error` has a value other than false, null or
 * "". Zipkin clients put the error message into that tag.
 */
export function isErrorSpan(span: ApiSpan): boolean {
  return (span.tags ?? []).some(saysError);
}

/** True when a tag marks the span as failed. */
function saysError({ key, value }: ApiAttribute): boolean {
  if (key === "error") {
    return value !== false && value !== "false" && value !== "" && value !== null;
  }
  return key === "otel.status_code" && value === "ERROR";
}

/**
 * The parent's span id: the first CHILD_OF into the same trace, else the first other reference into it.
 * @returns undefined for a span that names no parent
 */
export function parentIdOf(span: ApiSpan): string | undefined {
  let other: string | undefined;
  for (const { refType, traceID, spanID } of span.references ?? []) {
    if (traceID !== span.traceID) {
      continue;
    }
    if (refType === "CHILD_OF") {
      return spanID;
    }
    other ??= spanID;
  }
  return other;
}

/** The value of the span's tag as text, undefined without such a tag. */
export function tagText(span: ApiSpan, key: string): string | undefined {
  const tag = span.tags?.find((attribute) => attribute.key === key);
  return tag === undefined ? undefined : String(tag.value);
}
