import type { SpanRows } from "wire/rows";
import type { SpanSource } from "../metrics.ts";

/**
 * Looks at the rows of one request, or rewrites them, before the journal keeps them and the sender gets an answer.
 * Steps run in the order of their list, on every request of every receiver; each costs CPU for every span.
 */
export interface RowStep {
  /**
   * @param rows a view, valid until the call returns; a step may change its bytes in place
   * @param source the receiver and format that they came by
   * @returns the same object where nothing was changed; the same rows with more said about them; or a view that is valid
   *   until the next `apply`
   * @throws WireError for damaged rows, which a transcoder never makes; the request is refused then
   */
  apply(rows: SpanRows, source: SpanSource): SpanRows;
}
