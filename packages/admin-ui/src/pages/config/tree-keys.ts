import { above } from "../../config/json-pointer.ts";
import type { TreeRow } from "../../config/tree-rows.ts";

/**
 * The action of a key in the tree:
 * - `select`: goes to a line
 * - `fold`: shows or hides the members of a value
 * - `edit`: goes to the field of the selected value
 * - `nothing`: the key belongs to the tree, but has no effect on this line
 */
type TreeAction =
  | { kind: "select"; pointer: string }
  | { kind: "fold"; pointer: string; unfold: boolean }
  | { kind: "edit" }
  | { kind: "nothing" };

const nothing: TreeAction = { kind: "nothing" };

/** Selects a line; no effect without such a line. */
function goTo(row: TreeRow | undefined): TreeAction {
  return row === undefined ? nothing : { kind: "select", pointer: row.pointer };
}

/** Unfolds a line, or goes from an unfolded one to its first member. */
function inwards(rows: readonly TreeRow[], at: number): TreeAction {
  const row = rows[at];
  if (row?.size && !row.expanded) {
    return { kind: "fold", pointer: row.pointer, unfold: true };
  }
  return row?.expanded ? goTo(rows[at + 1]) : nothing;
}

/** Folds a line, or goes from a folded one to the value around it. */
function outwards(row: TreeRow | undefined): TreeAction {
  if (row?.expanded) {
    return { kind: "fold", pointer: row.pointer, unfold: false };
  }
  return row !== undefined && row.pointer !== "" ? { kind: "select", pointer: above(row.pointer) } : nothing;
}

/**
 * The action of a key.
 * @param at index of the selected line, −1 when it is not in view
 * @returns undefined for a key that the tree leaves to the browser
 */
export function treeAction(key: string, rows: readonly TreeRow[], at: number): TreeAction | undefined {
  switch (key) {
    case "ArrowDown":
    case "j":
      return goTo(rows[at + 1]);
    case "ArrowUp":
    case "k":
      return goTo(rows[at - 1]);
    case "ArrowRight":
    case "l":
      return inwards(rows, at);
    case "ArrowLeft":
    case "h":
      return outwards(rows[at]);
    case "Home":
      return goTo(rows[0]);
    case "End":
      return goTo(rows.at(-1));
    case "Enter":
      return { kind: "edit" };
    default:
      return undefined;
  }
}
