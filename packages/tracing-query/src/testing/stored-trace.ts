import type { PackedTrace } from "storage/api";
import type { Span } from "wire/model";
import { PackedSpans, StoredOrigins } from "wire/rows";
import { storedRowsOf } from "wire/testing/stored-rows-of";

/** Shared by all answers, as in a real reader. */
const origins = new StoredOrigins();

/** A trace as rows of a store, for tests. @param change damages the rows */
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
