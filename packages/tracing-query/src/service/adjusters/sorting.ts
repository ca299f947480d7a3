import { type KeyValue, ValueType } from "wire/api-v2";
import type { ApiTrace } from "../api-trace.ts";
import { compareTags } from "./tag-order.ts";

/** Sorts tags, process tags and log fields; in a log the first string field `event` stays in front. */
export function sortTagsAndFields(trace: ApiTrace): void {
  for (const span of trace.spans) {
    span.tags.sort(compareTags);
    span.process?.tags.sort(compareTags);
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
