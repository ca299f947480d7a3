import type { Span, SpanKind } from "wire/model";
import type { SpanFields } from "wire/rows";
import type { PartialReason } from "./partial-answer.ts";

/** One trace: its id and its spans, complete, in order of start time. Never empty. */
export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** All spans of the trace that are stored, in no order. */
  readonly spans: readonly Span[];
}

/** A list whose spans are made on access; an array of spans is one. */
export interface SpanList {
  /** Number of spans. */
  readonly length: number;
  /** @returns undefined from `length` on */
  at(index: number): Span | undefined;
  /**
   * The row's fields of a span, when there is a row, which costs less than the span. Valid until the next
   * call.
   */
  fieldsAt?(index: number): SpanFields;
}

/** A trace whose spans need not be in memory as objects; otherwise as `Trace`. */
export interface PackedTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Spans as rows, decoded one by one when they are read. */
  readonly spans: SpanList;
}

/**
 * A search. A trace matches when ONE of its spans satisfies every condition. Whole traces are returned,
 * ordered by their newest matching span, newest first.
 */
export interface TraceQuery {
  /** Exact; absent or "" means every service. */
  readonly service?: string;
  /** Exact span name; absent or "" means every operation. */
  readonly operation?: string;
  /**
   * Tags by key and value as text; a double also matches as Go's `%.10g` writes it. Span attributes, resource
   * attributes and event attributes are searched. So are fields that OTLP spans show as tags: `span.kind`,
   * `error` = `true`, `otel.status_code` (`OK`, `ERROR`), `otel.status_description`, `otel.scope.name`,
   * `otel.scope.version`, `w3c.tracestate`, and `event` for the name of an event. `service.name` and
   * `internal.span.format` match spans of every format.
   */
  readonly tags?: ReadonlyMap<string, string>;
  /** Nanoseconds since the Unix epoch; inclusive; applies to a span's start. */
  readonly startTimeMinUnixNano?: bigint;
  /** Latest start of a span that matches. */
  readonly startTimeMaxUnixNano?: bigint;
  /** Nanoseconds; inclusive; absent or 0 means no bound. */
  readonly durationMinNano?: bigint;
  /** Longest duration of a span that matches. */
  readonly durationMaxNano?: bigint;
  /** The kind, whatever the span's format; absent: every kind. */
  readonly spanKind?: SpanKind;
  /** True: spans with an error status; false: the others; absent: both. */
  readonly hasError?: boolean;
  /** Most traces to return; at least 1. */
  readonly limit: number;
}

export interface Operation {
  /** Name of the operation. */
  readonly name: string;
  /** Kind of its spans. */
  readonly spanKind: SpanKind;
}

export interface ReadOptions {
  /**
   * The tenant whose spans are read. "", the default, is the tenant of all spans when tenancy is off. No
   * tenant sees the spans of another.
   */
  readonly tenant?: string;
  /**
   * Token of the user for whom the store is read; a remote storage may require it. Our stores do not check
   * it.
   */
  readonly bearerToken?: string | undefined;
  /** Aborts the query in the engine too. */
  readonly signal?: AbortSignal;
  /**
   * Called before the read resolves, for each reason why spans are missing from the answer, perhaps
   * repeatedly. Absent: the caller cannot accept a partial answer, so such a read throws STORAGE_UNAVAILABLE.
   */
  readonly onPartial?: (reason: PartialReason) => void;
}

/** Reads spans. Every method throws `StorageError`. */
export interface SpanReader {
  /**
   * The traces with these ids, in the order of the request, without repeats. Unknown ids are left out. An id
   * is 32 lower-case hex digits.
   */
  getTraces(traceIds: readonly string[], options?: ReadOptions): Promise<Trace[]>;
  /**
   * As `getTraces`, for traces of any size, when an engine can hold spans in less memory than objects. A span
   * that is stored more than once, equal in every field, is there once.
   * @param onCount called when an answer begins, with its number of spans and their approximate bytes, if the
   *   engine knows. There may be several answers, and an answer may begin again.
   */
  getPackedTraces?(
    traceIds: readonly string[],
    options?: ReadOptions,
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]>;
  /**
   * As `getPackedTraces`, for lists of traces: its spans have no attributes, no events, no trace state, and no
   * text of their status. Present when the engine then reads less.
   */
  getOutlines?(
    traceIds: readonly string[],
    options?: ReadOptions,
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]>;
  /** Whole traces with a span that matches, the newest first. */
  findTraces(query: TraceQuery, options?: ReadOptions): Promise<Trace[]>;
  /** Only the ids, newest first. */
  findTraceIds(query: TraceQuery, options?: ReadOptions): Promise<string[]>;
  /** Sorted by name. */
  getServices(options?: ReadOptions): Promise<string[]>;
  /** Sorted by name, then kind; `spanKind` keeps one kind. */
  getOperations(query: { service: string; spanKind?: SpanKind }, options?: ReadOptions): Promise<Operation[]>;
}
