import type { Trace } from "../../../trace/trace.ts";

/** Position of each row among the rows with the same parent. */
export interface SiblingPlaces {
  /** Per row: position among its siblings, from 1. */
  position: Int32Array;
  /** Per row: number of rows with the same parent, including the row. */
  size: Int32Array;
}

/** Computes the positions of all rows in two passes. @param rows shown spans, in the order of the tree */
export function siblingPlaces({ parent, spans }: Trace, rows: Int32Array): SiblingPlaces {
  // Entry 0 counts the roots, whose parent is −1.
  const shown = new Int32Array(spans.length + 1);
  const position = new Int32Array(rows.length);
  const size = new Int32Array(rows.length);
  for (let row = 0; row < rows.length; row += 1) {
    const at = (parent[rows[row] as number] as number) + 1;
    const place = (shown[at] as number) + 1;
    shown[at] = place;
    position[row] = place;
  }
  for (let row = 0; row < rows.length; row += 1) {
    size[row] = shown[(parent[rows[row] as number] as number) + 1] as number;
  }
  return { position, size };
}
