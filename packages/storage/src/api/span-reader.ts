import type { Span, SpanKind } from "wire/model";
import type { SpanFields } from "wire/rows";
import type { PartialReason } from "./partial-answer.ts";

/** One trace: its id and its spans, complete, in order of start time. Never empty. */
export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  readonly spans: readonly Span[];
}

/** Spans that are made when they are asked for; an array of spans is one. */
export interface SpanList {
  readonly length: number;
  /** @returns undefined from `length` on */
  at(index: number): Span | undefined;
  /** What the row of a span says, where there is one and that costs less than the span; until it is asked for the next. */
  fieldsAt?(index: number): SpanFields;
}

/** A trace whose spans need not be held as objects; otherwise as `Trace`. */
export interface PackedTrace {
  readonly traceId: string;
  readonly spans: SpanList;
}

/**
 * A search. A trace matches when ONE of its spans satisfies every condition; whole traces are returned,
 * newest first by their newest matching span.
 */
export interface TraceQuery {
  /** Exact; absent or "" means every service. */
  readonly service?: string;
  /** Exact span name; absent or "" means every operation. */
  readonly operation?: string;
  /**
   * Key and text form must be equal, a double also as Go's `%.10g` writes it; looked for in span attributes, resource attributes and event attributes
   * alike, and in what OTLP spans show as tags: `span.kind`, `error` = `true`, `otel.status_code` (`OK`, `ERROR`),
   * `otel.status_description`, `otel.scope.name`, `otel.scope.version`, `w3c.tracestate`, and `event` for the name
   * of an event. `service.name` and `internal.span.format` match spans of every format.
   */
  readonly tags?: ReadonlyMap<string, string>;
  /** Nanoseconds since the Unix epoch; inclusive; applies to a span's start. */
  readonly startTimeMinUnixNano?: bigint;
  readonly startTimeMaxUnixNano?: bigint;
  /** Nanoseconds; inclusive; absent or 0 means no bound. */
  readonly durationMinNano?: bigint;
  readonly durationMaxNano?: bigint;
  /** Of whatever format the span came in; every kind when absent. */
  readonly spanKind?: SpanKind;
  /** Spans whose status is an error, or those whose status is not; both when absent. */
  readonly hasError?: boolean;
  /** Most traces to return; at least 1. */
  readonly limit: number;
}

export interface Operation {
  readonly name: string;
  readonly spanKind: SpanKind;
}

export interface ReadOptions {
  /** Whose spans are read; "" by default, the tenant of all spans where tenancy is off. Nobody sees those of others. */
  readonly tenant?: string;
  /** Of the user for whom the store is asked; a remote storage may want it. The store itself checks none. */
  readonly bearerToken?: string | undefined;
  /** Aborts the query in the engine too. */
  readonly signal?: AbortSignal;
  /**
   * Called before the read resolves, for each reason why spans are missing from its answer, maybe more often than once. Absent: the
   * caller cannot say that an answer is partial, so a read that would be throws STORAGE_UNAVAILABLE.
   */
  readonly onPartial?: (reason: PartialReason) => void;
}

/** Reads spans. Every method throws `StorageError`. */
export interface SpanReader {
  /**
   * The traces with these ids, in the order asked, each once; unknown ids are left out. Ids: 32 lower-case hex
   * digits.
   */
  getTraces(traceIds: readonly string[], options?: ReadOptions): Promise<Trace[]>;
  /**
   * As `getTraces`, where an engine can hold spans in less memory than as objects: for traces of any size.
   * @param onCount where the engine knows, gets the number of spans of an answer of it when that begins, and about how many bytes
   *   they take; there may be several answers, and one may begin again
   */
  getPackedTraces?(
    traceIds: readonly string[],
    options?: ReadOptions,
    onCount?: (spans: number, bytes?: number) => void,
  ): Promise<PackedTrace[]>;
  findTraces(query: TraceQuery, options?: ReadOptions): Promise<Trace[]>;
  /** Only the ids, newest first. */
  findTraceIds(query: TraceQuery, options?: ReadOptions): Promise<string[]>;
  /** Sorted by name. */
  getServices(options?: ReadOptions): Promise<string[]>;
  /** Sorted by name, then kind; `spanKind` keeps one kind. */
  getOperations(query: { service: string; spanKind?: SpanKind }, options?: ReadOptions): Promise<Operation[]>;
}
