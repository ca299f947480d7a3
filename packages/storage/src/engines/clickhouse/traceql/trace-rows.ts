import type { Field } from "traceql";
import { type SpanFacts, TraceView } from "../../../traceql/trace-view.ts";
import { readValue, type StoredTexts } from "./read-value.ts";

/** A span as the store returns it. The names are short because every row repeats them. */
export interface TraceQlRow {
  /** Trace id, span id and parent's span id. */
  readonly t: string;
  readonly i: string;
  readonly p: string;
  /** 1: the span has no parent id, but a link to a parent. 0: otherwise. */
  readonly o: 0 | 1;
  /** Service, name, kind, status. */
  readonly s: string;
  readonly n: string;
  readonly k: string;
  readonly c: string;
  /** Start and duration in nanoseconds. */
  readonly b: string;
  readonly d: string;
  /** 1 when the span starts in the range, otherwise 0. */
  readonly r: 0 | 1;
  /** Number of original spans that the span represents. Present in adjusted queries only. */
  readonly a?: number;
  /** Values of the query's fields. */
  readonly v: readonly StoredTexts[];
}

/** Groups rows into traces. @param fields fields of the values `v`, in order */
export function traceViews(rows: readonly TraceQlRow[], fields: readonly Field[]): TraceView[] {
  const traces = Map.groupBy(rows, ({ t }) => t);
  return [...traces].map(([traceId, ofTrace]) => {
    return new TraceView(
      traceId,
      ofTrace.map((row) => factsOf(row, fields)),
    );
  });
}

function factsOf(row: TraceQlRow, fields: readonly Field[]): SpanFacts {
  return {
    spanId: row.i,
    parentSpanId: row.p,
    hasParentLink: row.o === 1,
    service: row.s,
    name: row.n,
    kind: row.k,
    status: row.c,
    startUnixNano: BigInt(row.b),
    durationNano: BigInt(row.d),
    isInRange: row.r === 1,
    ...(row.a === undefined ? {} : { adjustedCount: row.a }),
    values: fields.map((field, slot) => readValue(field, row.v[slot] ?? [])),
  };
}
