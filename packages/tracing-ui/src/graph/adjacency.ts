/** Neighbours of each node. The neighbours of node n are `ends` from `first[n]` to `first[n + 1]`. */
export interface Adjacency {
  /** Per node: index of its first end; one more entry at the end closes the last node. */
  first: Int32Array;
  /** Neighbour nodes, grouped by node. */
  ends: Int32Array;
  /** Index of the edge of each entry in `ends`. */
  edges: Int32Array;
}

/**
 * Groups the end nodes of edges by start node, in the order of the edges. A counting sort: two passes over
 * the edges and one over the nodes, in three flat arrays.
 * @param nodes number of nodes
 * @param from  start node of each edge
 * @param to    end node of each edge
 */
export function adjacencyOf(nodes: number, from: ArrayLike<number>, to: ArrayLike<number>): Adjacency {
  const first = new Int32Array(nodes + 1);
  for (let edge = 0; edge < from.length; edge += 1) {
    const after = (from[edge] as number) + 1;
    first[after] = (first[after] as number) + 1;
  }
  for (let node = 0; node < nodes; node += 1) {
    first[node + 1] = (first[node + 1] as number) + (first[node] as number);
  }
  const next = first.slice();
  const ends = new Int32Array(from.length);
  const edges = new Int32Array(from.length);
  for (let edge = 0; edge < from.length; edge += 1) {
    const node = from[edge] as number;
    const at = next[node] as number;
    next[node] = at + 1;
    ends[at] = to[edge] as number;
    edges[at] = edge;
  }
  return { first, ends, edges };
}
