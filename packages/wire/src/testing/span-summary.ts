import { toNanos } from "../api-v2/nano-times.ts";
import { type KeyValue, type Span, SpanRefType, ValueType } from "../gen/tracing/api_v2/model.ts";

/** For tests: an `api_v2` span as readable JSON for fixtures; tags are ordered by key. */
export interface SpanSummary {
  readonly traceId: string;
  readonly spanId: string;
  readonly operationName: string;
  /** Type and ids of each reference: `CHILD_OF 00000000000000000000000000000001 0000000000000002`. */
  readonly references: readonly string[];
  readonly flags: number;
  /** Start in nanoseconds since the epoch, in decimal. */
  readonly start: string;
  /** Duration in nanoseconds, in decimal. */
  readonly duration: string;
  /** Texts made by `tagText`. */
  readonly tags: readonly string[];
  readonly logs: readonly { readonly time: string; readonly fields: readonly string[] }[];
  readonly service: string;
  readonly processTags: readonly string[];
}

/** For tests: see `SpanSummary`. */
export function spanSummary(span: Span): SpanSummary {
  return {
    traceId: span.traceId.toString("hex"),
    spanId: span.spanId.toString("hex"),
    operationName: span.operationName,
    references: span.references.map(({ traceId, spanId, refType }) => {
      const type = refType === SpanRefType.CHILD_OF ? "CHILD_OF" : "FOLLOWS_FROM";
      return `${type} ${traceId.toString("hex")} ${spanId.toString("hex")}`;
    }),
    flags: span.flags,
    start: String(toNanos(span.startTime)),
    duration: String(toNanos(span.duration)),
    tags: tagsOf(span.tags),
    logs: span.logs.map(({ timestamp, fields }) => ({
      time: String(toNanos(timestamp)),
      fields: tagsOf(fields),
    })),
    service: span.process?.serviceName ?? "",
    processTags: tagsOf(span.process?.tags ?? []),
  };
}

/** For tests: spans ordered by id, then by tags. */
export function spanSummaries(spans: readonly Span[]): SpanSummary[] {
  return spans.map(spanSummary).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function tagsOf(tags: readonly KeyValue[]): string[] {
  return tags.map(tagText).sort();
}

/** Key, type and value of a tag; the type is omitted for strings: `retries (int64) 3`, `peer "db"`. */
function tagText(tag: KeyValue): string {
  switch (tag.vType) {
    case ValueType.BOOL:
      return `${tag.key} (bool) ${tag.vBool}`;
    case ValueType.INT64:
      return `${tag.key} (int64) ${tag.vInt64}`;
    case ValueType.FLOAT64:
      return `${tag.key} (float64) ${tag.vFloat64}`;
    case ValueType.BINARY:
      return `${tag.key} (binary) ${tag.vBinary.toString("hex")}`;
    default:
      return `${tag.key} ${JSON.stringify(tag.vStr)}`;
  }
}
