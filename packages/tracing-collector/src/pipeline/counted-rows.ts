import type { SpanRows } from "wire/rows";
import type { ServiceCounts } from "./service-counts.ts";

/** Rows of which a step has counted the services. A step that leaves rows out gives rows without counts. */
export interface CountedRows extends SpanRows {
  /** All of the rows by service; absent where nobody counted them. */
  readonly services?: ServiceCounts | undefined;
}
