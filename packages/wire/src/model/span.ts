import type { Attribute } from "./attribute.ts";

/** OTLP's `SpanKind`, by number. */
export const spanKinds = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
export type SpanKind = (typeof spanKinds)[number];

/** OTLP's `StatusCode`, by number. */
export const statusCodes = ["unset", "ok", "error"] as const;
export type StatusCode = (typeof statusCodes)[number];

/**
 * The format in which a span arrived, by number. The format determines the meaning of other fields:
 *
 * - `otlp`, `zipkin`: OTLP's rules. `kind`, `status` and `traceState` are separate fields; `attributes` contains only
 *   the sender's attributes; events have a name.
 * - `proto`, `jaeger` (`api_v2` over gRPC; Thrift): the rules of Jaeger's `api_v2` model. `attributes` contains all
 *   tags of the span without changes, including tags such as `span.kind` and `error`. `kind` and `status` are derived
 *   from the tags, only for searches. `resource.attributes` are the process tags. Events are logs: their name is empty,
 *   and their `attributes` are the log's fields. `links` contains ALL references with their `refType`, including the
 *   reference to the parent, in the sender's order.
 *
 * The tag `internal.span.format` has the same values.
 */
export const spanFormats = ["otlp", "proto", "jaeger", "zipkin"] as const;
export type SpanFormat = (typeof spanFormats)[number];

/** Reference types by number; OTLP links have `none`. */
export const refTypes = ["none", "child_of", "follows_from"] as const;
export type RefType = (typeof refTypes)[number];

export interface SpanEvent {
  /** Nanoseconds since the Unix epoch. */
  readonly timeUnixNano: bigint;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
}

export interface SpanLink {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** The W3C `tracestate` of the linked span, as sent; "" for a link without it. */
  readonly traceState: string;
  readonly attributes: readonly Attribute[];
  /** Number of attributes that the sender dropped because of its limits. */
  readonly droppedAttributesCount: number;
  /** The W3C trace flags of the link, as OTLP sends them; 0 in the older formats. */
  readonly flags: number;
  /** The kind of a reference in the older formats; `none` for a link of OTLP. */
  readonly refType: RefType;
}

export interface Resource {
  /** Name of the service in the store's indexes. See `serviceNameOf` for OTLP resources without a name. */
  readonly serviceName: string;
  /** All attributes from the sender, including `service.name`, in the sender's order. */
  readonly attributes: readonly Attribute[];
  /** Number of attributes that the sender dropped because of its limits. */
  readonly droppedAttributesCount: number;
  /** URL of the schema of the attributes; "" without a schema. */
  readonly schemaUrl: string;
}

/** The library that created a span. In the older formats all members are empty. */
export interface Scope {
  /** Name such as `@opentelemetry/instrumentation-http`; "" for a missing name. */
  readonly name: string;
  readonly version: string;
  readonly attributes: readonly Attribute[];
  /** Number of attributes that the sender dropped because of its limits. */
  readonly droppedAttributesCount: number;
  /** URL of the schema of this library's spans; "" without a schema. */
  readonly schemaUrl: string;
}

/** The domain model of a span: everything that a sender put into it, in any format. */
export interface Span {
  /** 32 lower-case hex digits, zero padded. */
  readonly traceId: string;
  /** 16 lower-case hex digits, zero padded. */
  readonly spanId: string;
  /** 16 lower-case hex digits, or "" for a root span. */
  readonly parentSpanId: string;
  /** The W3C `tracestate` header as the sender received it; "" for a missing header. */
  readonly traceState: string;
  /** OTLP: the W3C trace flags and the bits for remote parents. The older formats: 1 is sampled, 2 is debug. */
  readonly flags: number;
  /** Span name; in the older formats the operation name. */
  readonly name: string;
  /** Role of the span in a call. In the older formats, the role is derived from the tag `span.kind`. */
  readonly kind: SpanKind;
  /** Nanoseconds since the Unix epoch. */
  readonly startTimeUnixNano: bigint;
  /**
   * Nanoseconds; negative when the end is before the start. Readers must use `lengthNano` instead, which is never
   * negative.
   */
  readonly durationNano: bigint;
  /** OTLP: the sender's attributes. The older formats: all tags, `span.kind` and `error` included. */
  readonly attributes: readonly Attribute[];
  /** Number of attributes that the sender dropped because of its limits. */
  readonly droppedAttributesCount: number;
  /** Moments within the span. The older formats call these events logs. */
  readonly events: readonly SpanEvent[];
  /** Number of events that the sender dropped because of its limits. */
  readonly droppedEventsCount: number;
  /** Other spans that caused this span. In the older formats: all references, including the parent's. */
  readonly links: readonly SpanLink[];
  /** Number of links that the sender dropped because of its limits. */
  readonly droppedLinksCount: number;
  /** Result of the operation. In the older formats, the status is derived from the tag `error`. */
  readonly status: { readonly code: StatusCode; readonly message: string };
  /** The process that created the span. */
  readonly resource: Resource;
  /** The library within the process that created the span. */
  readonly scope: Scope;
  /** Format in which the span arrived. It determines the meaning of the other fields. */
  readonly format: SpanFormat;
  /** Faults that were found in the span before it was stored; the UI shows them with the span. */
  readonly warnings: readonly string[];
}

/**
 * The duration of a span in nanoseconds; 0 for a span whose end is before its start. Every answer that shows, compares
 * or sums durations uses this function. Only answers in OTLP contain both times as the sender sent them.
 */
export function lengthNano({ durationNano }: Pick<Span, "durationNano">): bigint {
  return durationNano > 0n ? durationNano : 0n;
}

/** Key of the attribute with the type of a link, which OpenTracing bridges set. */
export const refTypeKey = "opentracing.ref_type";

/** True for a link whose attribute says that it points to a parent. */
export function isParentLink({ attributes }: Pick<SpanLink, "attributes">): boolean {
  return attributes.some(
    ({ key, value }) => key === refTypeKey && value.type === "string" && value.value === "child_of",
  );
}

/**
 * True when a span without a parent id names a parent in its trace by a link. OpenTracing bridges create such links to
 * all parents of a span. Such a span is not the root of its trace.
 */
export function hasParentLink({ traceId, spanId, parentSpanId, links }: Span): boolean {
  return (
    parentSpanId === "" &&
    links.some((link) => link.traceId === traceId && link.spanId !== spanId && isParentLink(link))
  );
}
