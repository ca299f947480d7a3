import type { Trace } from "../../../trace/trace.ts";

/** Where each row stands among the rows that have its parent. */
export interface SiblingPlaces {
  /** Per row, counted from 1. */
  position: Int32Array;
  /** Per row: rows with its parent, itself counted. */
  size: Int32Array;
}

/** Finds the places of all rows in two passes. @param rows spans shown, in the order of the tree */
export function siblingPlaces({ parent, spans }: Trace, rows: Int32Array): SiblingPlaces {
  // Entry 0 is of the roots, whose parent is −1.
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
