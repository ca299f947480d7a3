import type { Span, SpanKind } from "wire/model";
import type { SpanFields } from "wire/rows";
import type { PartialReason } from "./partial-answer.ts";

/** One trace: its id and all its spans, in order of start time. The list of spans is never empty. */
export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** All stored spans of the trace, ordered by start. */
  readonly spans: readonly Span[];
}

/** A list of spans that may create each span on access. An array of spans fulfills this interface. */
export interface SpanList {
  readonly length: number;
  /** @returns undefined for an index of `length` or more */
  at(index: number): Span | undefined;
  /**
   * The fields of a span; the whole span is not decoded. Present when the list stores rows. The result is valid until
   * the next call.
   */
  fieldsAt?(index: number): SpanFields;
}

/** A trace whose spans may be stored as rows instead of objects. Otherwise it is like `Trace`. */
export interface PackedTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Spans as rows, decoded one by one when they are read. */
  readonly spans: SpanList;
}

/**
 * A search. A trace matches when one single span satisfies every condition. Whole traces are returned, ordered by their
 * newest matching span, newest first.
 */
export interface TraceQuery {
  /** Exact name of the service. Absent or "": every service. */
  readonly service?: string;
  /** Exact name of the span. Absent or "": every operation. */
  readonly operation?: string;
  /**
   * Tags by key and value as text; a double also matches in the form of Go's `%.10g`. Span attributes, resource
   * attributes and event attributes are searched. The search also covers fields that OTLP spans show as tags:
   * `span.kind`, `error` = `true`, `otel.status_code` (`OK`, `ERROR`), `otel.status_description`, `otel.scope.name`,
   * `otel.scope.version`, `w3c.tracestate`, and `event` for the name of an event. `service.name` and
   * `internal.span.format` match spans of every format.
   */
  readonly tags?: ReadonlyMap<string, string>;
  /** Earliest start of a matching span, in nanoseconds since the Unix epoch; inclusive. */
  readonly startTimeMinUnixNano?: bigint;
  /** Latest start of a matching span; inclusive. */
  readonly startTimeMaxUnixNano?: bigint;
  /** Shortest duration of a matching span in nanoseconds; inclusive. Absent or 0: no bound. */
  readonly durationMinNano?: bigint;
  /** Longest duration of a matching span in nanoseconds; inclusive. */
  readonly durationMaxNano?: bigint;
  /** Kind of the span in every format. Absent: every kind. */
  readonly spanKind?: SpanKind;
  /** True: spans with an error status. False: spans without an error status. Absent: all spans. */
  readonly hasError?: boolean;
  /** Maximum number of traces in the result; at least 1. */
  readonly limit: number;
}

export interface Operation {
  readonly name: string;
  /** Kind of the operation's spans. */
  readonly spanKind: SpanKind;
}

export interface ReadOptions {
  /**
   * The tenant whose spans are read; the default "" is the tenant of all spans when tenancy is off. A tenant never sees
   * the spans of another tenant.
   */
  readonly tenant?: string;
  /**
   * Token of the user on whose behalf the store is read; a remote storage may require it. The built-in stores ignore
   * the token.
   */
  readonly bearerToken?: string | undefined;
  /** Aborts the read, including its query in the engine. */
  readonly signal?: AbortSignal;
  /**
   * Called before the read resolves, once or more for each reason why spans are missing. Absent: a partial answer makes
   * the read throw STORAGE_UNAVAILABLE.
   */
  readonly onPartial?: (reason: PartialReason) => void;
}

/** Reads spans. Methods fail with `StorageError`. */
export interface SpanReader {
  /**
   * The traces with these ids, in the order of the request, without repeats. Unknown ids are left out. An id
   * is 32 lower-case hex digits.
   */
  getTraces(traceIds: readonly string[], options?: ReadOptions): Promise<Trace[]>;
  /**
   * Like `getTraces`, for traces of any size: an engine may store the spans in less memory than objects need. Copies of
   * a span that are equal in every field are removed.
   * @param onCount called when an answer begins, with the number of its spans, and with their approximate size in bytes
   * if the engine knows it. A read may have several answers, and an answer may start again.
   */
  getPackedTraces?(
    traceIds: readonly string[],
    options?: ReadOptions,
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]>;
  /**
   * Like `getPackedTraces`, for lists of traces: spans come without attributes, events, trace state and status text.
   * Present when the engine can read less data this way.
   */
  getOutlines?(
    traceIds: readonly string[],
    options?: ReadOptions,
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]>;
  /** Whole traces that contain a matching span, newest first. */
  findTraces(query: TraceQuery, options?: ReadOptions): Promise<Trace[]>;
  /** Only the ids of matching traces, newest first. */
  findTraceIds(query: TraceQuery, options?: ReadOptions): Promise<string[]>;
  /** Names of all services, sorted. */
  getServices(options?: ReadOptions): Promise<string[]>;
  /** Operations of a service, sorted by name, then kind; `spanKind` selects one kind. */
  getOperations(query: { service: string; spanKind?: SpanKind }, options?: ReadOptions): Promise<Operation[]>;
}
