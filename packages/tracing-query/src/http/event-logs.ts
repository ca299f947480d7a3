import { stringTag } from "wire/api-v2/tags";
import { ValueType } from "wire/api-v2-model";
import type { SpanEvent, SpanFormat } from "wire/model";
import { compareTags } from "../service/adjusters/tag-order.ts";
import { microsText } from "./micros-text.ts";
import { type ShownTag, type ShownTags, shownField } from "./shown-tags.ts";

/**
 * The `logsJson` of a span's events, after the clock adjustment.
 * @param appliedNano nanoseconds by which the clock was adjusted
 * @param tags turns attributes into fields
 */
export function eventLogsJson(
  events: readonly SpanEvent[],
  format: SpanFormat,
  appliedNano: bigint,
  tags: ShownTags,
): string {
  const logs = events.map((event) => {
    const fields = fieldsOf(event, format, tags).map(({ json }) => json);
    const time = microsText(event.timeUnixNano + appliedNano);
    return `{"timestamp":${time},"fields":[${fields.join("").slice(1)}]}`;
  });
  return `[${logs.join(",")}]`;
}

/** Sorted by name, but the first string field `event` leads. */
function fieldsOf({ name, attributes }: SpanEvent, format: SpanFormat, tags: ShownTags): ShownTag[] {
  const fields = attributes.map((attribute) => tags.of(attribute));
  const isOtlp = format === "otlp" || format === "zipkin";
  if (isOtlp && name !== "" && attributes.every(({ key }) => key !== "event")) {
    fields.unshift(shownField(stringTag("event", name)));
  }
  const event = fields.findIndex(({ tag }) => tag.key === "event" && tag.vType === ValueType.STRING);
  const first = event === -1 ? [] : fields.splice(event, 1);
  return [...first, ...fields.sort((one, other) => compareTags(one.tag, other.tag))];
}
