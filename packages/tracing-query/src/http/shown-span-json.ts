import { traceIdText } from "wire/api-v2/id-texts";
import { stringTag } from "wire/api-v2/tags";
import { formatTagKey, toApiV2Span } from "wire/api-v2/to-api-v2-span";
import { type Span as ApiV2Span, ValueType } from "wire/api-v2-model";
import type { Attribute, Scope, Span, SpanEvent, SpanFormat } from "wire/model";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { adjustedSpan, type SpanClock } from "../service/adjusters/adjust-trace.ts";
import { missingParentWarning, skewOutcome } from "../service/adjusters/clock-skew.ts";
import { sdkKeys } from "../service/adjusters/tag-adjusters.ts";
import { compareTags } from "../service/adjusters/tag-order.ts";
import { microsText } from "./json-bytes.ts";
import type { SharedJson } from "./shared-json.ts";
import { type ShownTag, ShownTags, shownField, shownTag, TagOrders } from "./shown-tags.ts";
import { quoteRepeated } from "./tag-json.ts";
import type { ProcessKeys } from "./trace-json.ts";
import { referencesJson, spanJson, warningsJson } from "./trace-json.ts";

/** Maximum number of tags whose order is cached; a longer list is sorted for each span. */
const maxOrderedTags = 64;

/**
 * Writes adjusted spans as `spanJson` does, but faster: JSON shared by many spans is made once. Spans with rare fields
 * use the slow path. One writer serves all traces of an answer.
 */
export class ShownSpanJson {
  readonly shared: SharedJson;
  readonly #options: AdjustOptions;
  readonly #tags = new ShownTags();
  readonly #fields = new ShownTags(shownField);
  readonly #orders = new TagOrders<readonly ShownTag[]>();
  /** Sorted tags from fields other than attributes, by scope, then by format, kind and status. */
  readonly #ownTags = new Map<Scope, Map<string, readonly ShownTag[]>>();

  constructor(options: AdjustOptions, shared: SharedJson) {
    this.#options = options;
    this.shared = shared;
  }

  /** @param keys the process keys of the trace */
  json(span: Span, clock: SpanClock, keys: ProcessKeys): string {
    const tags = this.#tagsJson(span);
    if (tags === undefined || span.durationNano < 0n) {
      return spanJson(adjustedSpan(span, clock, this.#options), keys);
    }
    const rest = span.links.length > 0 ? this.#rest(span, clock) : undefined;
    const { appliedNano, warning } = this.skew(clock);
    const traceId = traceIdText(span.traceId);
    const flags = span.flags === 0 || !isOlderModel(span) ? "" : `"flags":${span.flags},`;
    const { process } = this.shared.processes.of(span.resource, () => span);
    const start = span.startTimeUnixNano + appliedNano;
    return (
      `{"traceID":"${traceId}","spanID":"${span.spanId}",${flags}"operationName":${quoteRepeated(span.name)},` +
      `"references":${rest === undefined ? parentJson(span, traceId) : referencesJson(rest.references)},` +
      `"startTime":${microsText(start)},"duration":${microsText(span.durationNano)},` +
      `"tags":[${tags}],"logs":${this.logsJson(span, appliedNano)},` +
      `"processID":"${keys.keyOf(process)}",` +
      `"warnings":${rest === undefined ? ownWarnings(span.warnings, clock, warning) : warningsJson(rest.warnings)}}`
    );
  }

  /** The result of a span's clock adjustment. */
  skew({ deltaNano }: SpanClock): ReturnType<typeof skewOutcome> {
    return skewOutcome(deltaNano, this.#options.maxClockSkewNano);
  }

  /** The logs of a span. @param appliedNano clock adjustment in nanoseconds */
  logsJson({ events, format }: Pick<Span, "events" | "format">, appliedNano: bigint): string {
    return events.length === 0 ? "[]" : eventLogsJson(events, format, appliedNano, this.#fields);
  }

  /** References and warnings of a span, on the slow path. */
  #rest(span: Span, clock: SpanClock): ApiV2Span {
    return adjustedSpan({ ...span, attributes: [], events: [] }, clock, this.#options);
  }

  /** @returns undefined for attributes that need the slow path: those of the SDK, and the format's tag */
  #tagsJson(span: Span): string | undefined {
    const { attributes, name } = span;
    const own = this.#ownTagsOf(span);
    const order = this.#orders.find(name, own, attributes);
    if (order === undefined) {
      return this.#sortedTagsJson(span, own);
    }
    let json = "";
    for (const place of order) {
      const tag =
        place < own.length ? own[place] : this.#tags.of(attributes[place - own.length] as Attribute);
      const next = (tag as ShownTag).json;
      // Removes the comma of one tag, because removing it from the joined text would copy the text.
      json += json === "" ? next.slice(1) : next;
    }
    return json;
  }

  #sortedTagsJson(span: Span, own: readonly ShownTag[]): string | undefined {
    const { attributes, name } = span;
    // A collector that wrote through the remote storage API has also sent the format's tag.
    if (attributes.at(-1)?.key === formatTagKey) {
      return undefined;
    }
    if (attributes.some(({ key }) => sdkKeys.has(key))) {
      return undefined;
    }
    const tags = [...own, ...attributes.map((attribute) => this.#tags.of(attribute))];
    const order = Array.from(tags.keys()).sort((one, other) =>
      compareTags((tags[one] as ShownTag).tag, (tags[other] as ShownTag).tag),
    );
    const sorted = order.map((place) => tags[place] as ShownTag);
    // Equal keys are ordered by their values.
    const isByKey = sorted.every(({ tag }, index) => tag.key !== sorted[index - 1]?.tag.key);
    if (isByKey && order.length <= maxOrderedTags && areOwnTagsShared(span)) {
      this.#orders.keep(name, own, attributes, order);
    }
    return sorted
      .map(({ json }) => json)
      .join("")
      .slice(1);
  }

  #ownTagsOf(span: Span): readonly ShownTag[] {
    const { scope, kind, status, format } = span;
    const make = () =>
      toApiV2Span({ ...span, attributes: [], events: [], links: [] })
        .tags.map(shownTag)
        .sort(byTag);
    if (!areOwnTagsShared(span)) {
      return make();
    }
    let ofScope = this.#ownTags.get(scope);
    if (ofScope === undefined) {
      ofScope = new Map();
      this.#ownTags.set(scope, ofScope);
    }
    const key = `${format} ${kind} ${status.code}`;
    let tags = ofScope.get(key);
    if (tags === undefined) {
      tags = make();
      ofScope.set(key, tags);
    }
    return tags;
  }
}

export function isOlderModel({ format }: Pick<Span, "format">): boolean {
  return format === "proto" || format === "jaeger";
}

/** True when other spans have the same own tags, because no text in them is unique to the span. */
function areOwnTagsShared({ status, traceState }: Span): boolean {
  return status.message === "" && traceState === "";
}

function byTag(one: ShownTag, other: ShownTag): number {
  return compareTags(one.tag, other.tag);
}

/** Writes the references of a span without links. */
function parentJson(span: Span, traceId: string): string {
  return span.parentSpanId === "" || isOlderModel(span)
    ? "[]"
    : `[{"refType":"CHILD_OF","traceID":"${traceId}","spanID":"${span.parentSpanId}"}]`;
}

/** Lists the warnings of a span without links. */
export function ownWarnings(
  warnings: readonly string[],
  { missingParent }: SpanClock,
  ofClock: string | undefined,
): string {
  if (missingParent === undefined && ofClock === undefined) {
    return warningsJson(warnings);
  }
  return warningsJson([
    ...warnings,
    ...(missingParent === undefined ? [] : [missingParentWarning(missingParent)]),
    ...(ofClock === undefined ? [] : [ofClock]),
  ]);
}

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
