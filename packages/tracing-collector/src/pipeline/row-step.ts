import type { SpanRows } from "wire/rows";
import type { SpanSource } from "../counts/metrics.ts";

/**
 * Reads or rewrites the rows of one request, before the journal stores them and the sender gets an answer. Steps run in
 * order on every request of every receiver, and cost processor time for every span.
 */
export interface RowStep {
  /**
   * @param rows a view, valid until the call returns; a step may change its bytes in place
   * @param source receiver and format of the rows
   * @returns the same object when nothing changed; the same rows with counts; or a view that is valid until
   *   the next `apply`
   * @throws WireError for damaged rows, which no transcoder makes; then the request is refused
   */
  apply(rows: SpanRows, source: SpanSource): SpanRows;
}
