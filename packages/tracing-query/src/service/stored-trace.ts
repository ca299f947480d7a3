import type { PackedTrace } from "storage/api";
import type { Span } from "wire/model";
import { PackedSpans, StoredOrigins } from "wire/rows";
import { storedRowsOf } from "wire/testing";

/** Of all answers, as those that one reader gets. */
const origins = new StoredOrigins();

/** For tests: a trace as the rows that a store gives. @param change damages them */
export function storedTrace(spans: readonly Span[], change = (_rows: Buffer) => {}): PackedTrace {
  const rows = new PackedSpans(origins);
  const bytes = storedRowsOf(spans);
  change(bytes);
  rows.add([bytes], () => {});
  rows.end();
  const { length } = rows;
  return {
    traceId: spans[0]?.traceId ?? "",
    spans: {
      length,
      at: (index) => (index < length ? rows.at(index) : undefined),
      fieldsAt: (index) => rows.fieldsAt(index),
    },
  };
}
