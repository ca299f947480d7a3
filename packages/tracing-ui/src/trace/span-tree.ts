/** A forest over n nodes, in preorder: parents before children. */
export interface SpanTree {
  /** Position → node. */
  order: Int32Array;
  /** Position → position of the parent, −1 for a root. */
  parent: Int32Array;
  /** Position → depth below the root. */
  depth: Int32Array;
  /** Position → position just past the last descendant. */
  subtreeEnd: Int32Array;
  /** Nodes that became roots because their chain of parents led back to them. */
  cutNodes: readonly number[];
}

/**
 * Lays out a forest without recursion, so that a chain of 100,000 spans does not overflow the stack.
 * @param parentOf node → parent node, −1 for none; may contain cycles, each of which is cut at the node that
 *   comes first in `sorted`
 * @param sorted   all nodes in the order in which siblings, and roots, are to appear
 */
export function layOutTree(parentOf: Int32Array, sorted: Int32Array): SpanTree {
  const n = parentOf.length;
  const cutNodes = cutCycles(parentOf, sorted);
  const { firstChild, children } = childrenInOrder(parentOf, sorted);

  const order = new Int32Array(n);
  const parent = new Int32Array(n);
  const depth = new Int32Array(n);
  const position = new Int32Array(n);
  const stack = new Int32Array(n);
  let next = 0;
  for (let index = 0; index < n; index += 1) {
    const root = sorted[index] as number;
    if (parentOf[root] !== -1) {
      continue;
    }
    let top = 0;
    stack[top++] = root;
    while (top > 0) {
      const node = stack[--top] as number;
      const up = parentOf[node] as number;
      order[next] = node;
      position[node] = next;
      parent[next] = up === -1 ? -1 : (position[up] as number);
      depth[next] = up === -1 ? 0 : (depth[position[up] as number] as number) + 1;
      next += 1;
      for (let k = (firstChild[node + 1] as number) - 1; k >= (firstChild[node] as number); k -= 1) {
        stack[top++] = children[k] as number;
      }
    }
  }
  return { order, parent, depth, subtreeEnd: subtreeEnds(parent), cutNodes };
}

/** Makes a root of one node in every cycle, in place. */
function cutCycles(parentOf: Int32Array, sorted: Int32Array): number[] {
  const rank = new Int32Array(sorted.length);
  for (let index = 0; index < sorted.length; index += 1) {
    rank[sorted[index] as number] = index;
  }
  // 0 not visited; otherwise the number of the walk that visited the node. A node of the current walk closes a cycle.
  const seenBy = new Int32Array(sorted.length);
  const cut: number[] = [];
  for (let start = 0; start < sorted.length; start += 1) {
    const walk = start + 1;
    let node = start;
    while (node !== -1 && seenBy[node] === 0) {
      seenBy[node] = walk;
      node = parentOf[node] as number;
    }
    if (node === -1 || seenBy[node] !== walk) {
      continue;
    }
    let first = node;
    for (let on = parentOf[node] as number; on !== node; on = parentOf[on] as number) {
      if ((rank[on] as number) < (rank[first] as number)) {
        first = on;
      }
    }
    parentOf[first] = -1;
    cut.push(first);
  }
  return cut;
}

/** All lists of children in one array: the children of a node are at [firstChild[node], firstChild[node + 1]). */
function childrenInOrder(parentOf: Int32Array, sorted: Int32Array) {
  const n = parentOf.length;
  const firstChild = new Int32Array(n + 1);
  for (let node = 0; node < n; node += 1) {
    const up = parentOf[node] as number;
    if (up !== -1) {
      firstChild[up + 1] = (firstChild[up + 1] as number) + 1;
    }
  }
  for (let node = 0; node < n; node += 1) {
    firstChild[node + 1] = (firstChild[node + 1] as number) + (firstChild[node] as number);
  }
  const children = new Int32Array(n);
  const fill = firstChild.slice();
  for (let index = 0; index < n; index += 1) {
    const node = sorted[index] as number;
    const up = parentOf[node] as number;
    if (up === -1) {
      continue;
    }
    const at = fill[up] as number;
    children[at] = node;
    fill[up] = at + 1;
  }
  return { firstChild, children };
}

/**
 * Per position: just past its last descendant. One pass from the end, because children come after their
 * parents.
 */
function subtreeEnds(parent: Int32Array): Int32Array {
  const ends = new Int32Array(parent.length);
  for (let at = parent.length - 1; at >= 0; at -= 1) {
    ends[at] = Math.max(ends[at] as number, at + 1);
    const up = parent[at] as number;
    if (up !== -1) {
      ends[up] = Math.max(ends[up] as number, ends[at] as number);
    }
  }
  return ends;
}
