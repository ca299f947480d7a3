import { type KeyValue, type Process, ValueType } from "wire/api-v2-model";
import type { ApiTrace } from "../api-trace.ts";
import { compareTags } from "./tag-order.ts";

/**
 * Sorts tags, process tags and log fields; in a log the first string field `event` stays in front.
 *
 * ```
 * before  tags b, a; log fields message, level, event     after  tags a, b; log fields event, level, message
 * ```
 */
export function sortTagsAndFields(trace: ApiTrace): void {
  // Spans of one process may share its object, whose tags need one sorting only.
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
