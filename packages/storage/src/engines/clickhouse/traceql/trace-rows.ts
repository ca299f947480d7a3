import type { Field } from "traceql";
import { type SpanFacts, TraceView } from "../../../traceql/trace-view.ts";
import { readValue, type StoredTexts } from "./read-value.ts";

/** A span as the store gives it; the names are short because they stand in every row. */
export interface TraceQlRow {
  /** Trace, span and parent. */
  readonly t: string;
  readonly i: string;
  readonly p: string;
  /** Service, name, kind, status. */
  readonly s: string;
  readonly n: string;
  readonly k: string;
  readonly c: string;
  /** Begin and duration, nanoseconds. */
  readonly b: string;
  readonly d: string;
  /** Whether it starts in the range. */
  readonly r: 0 | 1;
  /** Values of fields. */
  readonly v: readonly StoredTexts[];
}

/** The traces that rows are of. @param fields those of `v` */
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
    service: row.s,
    name: row.n,
    kind: row.k,
    status: row.c,
    startUnixNano: BigInt(row.b),
    durationNano: BigInt(row.d),
    isInRange: row.r === 1,
    values: fields.map((field, slot) => readValue(field, row.v[slot] ?? [])),
  };
}
