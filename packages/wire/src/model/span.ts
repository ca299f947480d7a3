import type { Attribute } from "./attribute.ts";

/** OTLP's `SpanKind`, by number. */
export const spanKinds = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
export type SpanKind = (typeof spanKinds)[number];

/** OTLP's `StatusCode`, by number. */
export const statusCodes = ["unset", "ok", "error"] as const;
export type StatusCode = (typeof statusCodes)[number];

/**
 * The format a span came in, by number. It says how to read the span:
 *
 * - `otlp`, `zipkin`: OTLP's rules. `kind`, `status`, `traceState` are facts of their own; `attributes` holds the
 *   sender's attributes only; events have a name.
 * - `proto`, `jaeger` (`api_v2` over gRPC; Thrift): the older model's rules. `attributes` are the span's tags
 *   verbatim (`span.kind`, `error` and the like included); `kind` and `status` are derived from them, for search
 *   only; `resource.attributes` are the process tags; events are logs, their name is empty, `attributes` are the
 *   fields; ALL references, the parent's included, are in `links` with their `refType`, in the sender's order.
 *
 * These are also the values of the tag `internal.span.format`.
 */
export const spanFormats = ["otlp", "proto", "jaeger", "zipkin"] as const;
export type SpanFormat = (typeof spanFormats)[number];

/** Reference types by number; `none` on links that came as OTLP links. */
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
  readonly traceState: string;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
  readonly flags: number;
  readonly refType: RefType;
}

export interface Resource {
  /** As the store indexes it; see `serviceNameOf` for what an OTLP resource without a name gets. */
  readonly serviceName: string;
  /** Everything the sender put in, `service.name` included, in order. */
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
  readonly schemaUrl: string;
}

export interface Scope {
  readonly name: string;
  readonly version: string;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
  readonly schemaUrl: string;
}

/** The one domain model: what a sender put in a span, complete, whichever format it came in. */
export interface Span {
  /** 32 lower-case hex digits, zero padded. */
  readonly traceId: string;
  /** 16 lower-case hex digits, zero padded. */
  readonly spanId: string;
  /** 16 lower-case hex digits, or "" for a root span. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly flags: number;
  /** Span name; the older model's operation name. */
  readonly name: string;
  readonly kind: SpanKind;
  /** Nanoseconds since the Unix epoch. */
  readonly startTimeUnixNano: bigint;
  /** Nanoseconds; negative when the sender's end lies before its start: readers count such a span as `lengthNano` says. */
  readonly durationNano: bigint;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
  readonly events: readonly SpanEvent[];
  readonly droppedEventsCount: number;
  readonly links: readonly SpanLink[];
  readonly droppedLinksCount: number;
  readonly status: { readonly code: StatusCode; readonly message: string };
  readonly resource: Resource;
  readonly scope: Scope;
  readonly format: SpanFormat;
  readonly warnings: readonly string[];
}

/**
 * How long a span lasted, in nanoseconds: 0 when its end lies before its start. Every answer that shows, compares or adds up
 * durations uses this; only answers in OTLP give both times as they were sent.
 */
export function lengthNano({ durationNano }: Pick<Span, "durationNano">): bigint {
  return durationNano > 0n ? durationNano : 0n;
}
