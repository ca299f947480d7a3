import type { Attribute } from "./attribute.ts";

/** OTLP's `SpanKind`, by number. */
export const spanKinds = ["unspecified", "internal", "server", "client", "producer", "consumer"] as const;
export type SpanKind = (typeof spanKinds)[number];

/** OTLP's `StatusCode`, by number. */
export const statusCodes = ["unset", "ok", "error"] as const;
export type StatusCode = (typeof statusCodes)[number];

/**
 * The format in which a span arrived, by number. It determines how the span is read:
 *
 * - `otlp`, `zipkin`: OTLP's rules. `kind`, `status` and `traceState` are separate fields; `attributes` holds
 *   only the sender's attributes; events have a name.
 * - `proto`, `jaeger` (`api_v2` over gRPC; Thrift): the older model's rules. `attributes` are the span's tags
 *   verbatim, including `span.kind`, `error` and the like. `kind` and `status` are derived from them, for
 *   search only. `resource.attributes` are the process tags. Events are logs: their name is empty, and
 *   `attributes` are the fields. `links` holds ALL references with their `refType`, including the parent's,
 *   in the sender's order.
 *
 * These are also the values of the tag `internal.span.format`.
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
  readonly traceState: string;
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
  readonly flags: number;
  readonly refType: RefType;
}

export interface Resource {
  /** The name by which the store indexes it; see `serviceNameOf` for OTLP resources without a name. */
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

/** The domain model: everything that a sender put into a span, in whichever format. */
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
  /** Nanoseconds; negative when the end is before the start. Readers use `lengthNano`. */
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
 * The duration of a span in nanoseconds; 0 when its end is before its start. Every answer that shows,
 * compares or sums durations uses it. Only answers in OTLP contain both times as they were sent.
 */
export function lengthNano({ durationNano }: Pick<Span, "durationNano">): bigint {
  return durationNano > 0n ? durationNano : 0n;
}
