import { siblingRuns } from "./sibling-runs.ts";
import type { Trace } from "./trace.ts";

/**
 * The spans to show, top to bottom.
 * @param folded spans whose descendants are hidden
 * @param shown  1 for each span that passes the filter; absent: all spans pass
 * @param openRuns heads of the unfolded runs of similar siblings; of every other run only the head
 *   is shown. When `openRuns` is absent or `shown` is given, no run is folded
 */
export function visibleRows(
  trace: Trace,
  folded: ReadonlySet<number>,
  shown?: Uint8Array,
  openRuns?: ReadonlySet<number>,
): Int32Array {
  const rows = new Int32Array(trace.spans.length);
  const runs = shown === undefined && openRuns !== undefined ? siblingRuns(trace) : undefined;
  let count = 0;
  for (let span = 0; span < trace.spans.length; ) {
    if (shown === undefined || shown[span] === 1) {
      rows[count++] = span;
    }
    if (runs?.headOf[span] === span && openRuns?.has(span) === false) {
      span = runs.byHead.get(span)?.end ?? span + 1;
      continue;
    }
    span = folded.has(span) ? (trace.subtreeEnd[span] as number) : span + 1;
  }
  return rows.subarray(0, count);
}

/** Index of the span among the rows, which are in ascending order; −1 when it is not shown. */
export function rowOf(rows: Int32Array, span: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = rows[middle] as number;
    if (at === span) {
      return middle;
    }
    if (at < span) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return -1;
}
