import type { SpanRows } from "wire/rows";
import type { ServiceCounts } from "./service-counts.ts";

/** Rows with the number of spans by service. A step that removes rows returns rows without counts. */
export interface CountedRows extends SpanRows {
  /** Counts of the rows by service; absent when they were not counted. */
  readonly services?: ServiceCounts | undefined;
}
