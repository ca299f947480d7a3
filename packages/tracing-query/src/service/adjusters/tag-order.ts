import { type KeyValue, type Process, ValueType } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";

/** Half of a character past U+FFFF. */
function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Order of the texts' UTF-8 bytes: negative when `a` comes first. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) {
      // A surrogate is half of a character past U+FFFF. Such characters sort last in UTF-8, but not in UTF-16.
      return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
    }
  }
  return a.length - b.length;
}

/** Order of two values of one type: negative when `a` comes first. NaN is equal to everything. */
function compareOrdered<T extends bigint | number | boolean>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}

/** Order of the values of two tags whose types are equal. */
function compareValues(a: KeyValue, b: KeyValue): number {
  switch (a.vType) {
    case ValueType.STRING:
      return compareText(a.vStr, b.vStr);
    case ValueType.BOOL:
      return compareOrdered(a.vBool, b.vBool);
    case ValueType.INT64:
      return compareOrdered(a.vInt64, b.vInt64);
    case ValueType.FLOAT64:
      return compareOrdered(a.vFloat64, b.vFloat64);
    default:
      return a.vBinary.compare(b.vBinary);
  }
}

/**
 * Compares tags in Jaeger's order: by key, then by number of the type, then by value.
 *
 * ```
 * a="x" (string), a=5 (int64), b=1 (int64), b=2 (int64)
 * ```
 */
export function compareTags(a: KeyValue, b: KeyValue): number {
  return compareText(a.key, b.key) || a.vType - b.vType || compareValues(a, b);
}

/**
 * Sorts tags, process tags and log fields; in a log the first string field `event` stays in front.
 *
 * ```
 * before  tags b, a; log fields message, level, event     after  tags a, b; log fields event, level, message
 * ```
 */
export function sortTagsAndFields(trace: ApiTrace): void {
  // Spans may share a process object, whose tags must be sorted only once.
  const sorted = new Set<Process>();
  for (const span of trace.spans) {
    span.tags.sort(compareTags);
    if (span.process !== undefined && !sorted.has(span.process)) {
      span.process.tags.sort(compareTags);
      sorted.add(span.process);
    }
    for (const log of span.logs) {
      log.fields = sortedFields(log.fields);
    }
  }
}

function sortedFields(fields: KeyValue[]): KeyValue[] {
  const event = fields.find((field) => field.key === "event" && field.vType === ValueType.STRING);
  if (event === undefined) {
    return fields.sort(compareTags);
  }
  return [event, ...fields.filter((field) => field !== event).sort(compareTags)];
}
