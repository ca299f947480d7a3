import type { DiffNode, TraceDiff } from "../../api/trace-diff.ts";
import type { CompareOrder } from "./compare-address.ts";

/** A node of a comparison, ready to be shown. */
export interface CompareRow {
  /** The node with both sides. */
  node: DiffNode;
  /** Index of the node in the list of nodes. */
  index: number;
  /** Levels below the top, from 0. */
  depth: number;
  /** Self time of A minus self time of B, in microseconds. */
  selfUs: number;
  /** Spans of A minus spans of B. */
  count: number;
  /** Failed spans of A minus failed spans of B. */
  errors: number;
}

/** The rows of a comparison in order: as in the tree, or the largest difference first. */
export function compareRows({ nodes }: TraceDiff, order: CompareOrder): CompareRow[] {
  const depths: number[] = [];
  const children = new Map<number, number[]>();
  const rows = nodes.map((node, index): CompareRow => {
    const parent = node.parent ?? -1;
    const depth = parent === -1 ? 0 : (depths[parent] ?? 0) + 1;
    depths.push(depth);
    const siblings = children.get(parent);
    if (siblings === undefined) {
      children.set(parent, [index]);
    } else {
      siblings.push(index);
    }
    return {
      ...{ node, index, depth },
      selfUs: (node.a?.selfTime ?? 0) - (node.b?.selfTime ?? 0),
      count: (node.a?.count ?? 0) - (node.b?.count ?? 0),
      errors: (node.a?.errors ?? 0) - (node.b?.errors ?? 0),
    };
  });
  switch (order) {
    case "structure":
      return inTreeOrder(rows, children);
    case "time":
      return rows.sort((x, y) => Math.abs(y.selfUs) - Math.abs(x.selfUs));
    case "count":
      return rows.sort(
        (x, y) => Math.abs(y.count) - Math.abs(x.count) || Math.abs(y.selfUs) - Math.abs(x.selfUs),
      );
    case "errors":
      return rows.sort(
        (x, y) => Math.abs(y.errors) - Math.abs(x.errors) || Math.abs(y.selfUs) - Math.abs(x.selfUs),
      );
  }
}

/**
 * The rows in tree order: each node right before its children. The server only guarantees parents before
 * children. The walk uses an explicit stack, because a tree may be thousands of levels deep.
 */
function inTreeOrder(rows: readonly CompareRow[], children: ReadonlyMap<number, number[]>): CompareRow[] {
  const ordered: CompareRow[] = [];
  const open = (children.get(-1) ?? []).toReversed();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const row = rows[at];
    if (row !== undefined) {
      ordered.push(row);
    }
    // A row may have more children than a call has room for arguments.
    for (const child of (children.get(at) ?? []).toReversed()) {
      open.push(child);
    }
  }
  return ordered;
}
