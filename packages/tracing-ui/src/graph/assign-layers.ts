import { type Adjacency, adjacencyOf } from "./adjacency.ts";

/** Nodes in layers, with every edge from a lower layer to a higher layer. */
export interface LayeredEdges {
  /** Per edge: its start node, in the lower layer. */
  from: Int32Array;
  /** Per edge: its end node, in the higher layer. */
  to: Int32Array;
  /** Per edge: 1 when the edge was reversed to break a cycle, else 0. */
  turned: Uint8Array;
  /** Per node: its layer, from 0. No layer is empty. */
  layer: Int32Array;
}

/** Maximum number of rounds in which nodes move to shorten edges. The loop ends earlier when nothing moves. */
const mostRounds = 12;

/**
 * Assigns nodes to layers so that edges lead to higher layers and are short. First, edges that close a cycle are
 * reversed. Then each node gets the lowest layer above its callers. Then nodes move, one at a time, while
 * that shortens their edges. Cost: nodes plus edges, for each round.
 * @param from start node of each edge
 * @param to   end node of each edge, never the start node
 */
export function assignLayers(nodes: number, from: Int32Array, to: Int32Array): LayeredEdges {
  const turned = edgesBack(nodes, from, to);
  const start = Int32Array.from(from, (node, edge) => (turned[edge] === 1 ? (to[edge] as number) : node));
  const end = Int32Array.from(to, (node, edge) => (turned[edge] === 1 ? (from[edge] as number) : node));
  const after = adjacencyOf(nodes, start, end);
  const before = adjacencyOf(nodes, end, start);
  const order = callersFirst(nodes, after, before);
  const layer = new Int32Array(nodes);
  for (const node of order) {
    layer[node] = lowest(node, before, layer);
  }
  for (let round = 0; round < mostRounds; round += 1) {
    // The direction alternates, so that a whole chain moves in one round.
    const moved = round % 2 === 0 ? order.toReversed() : order;
    let changes = 0;
    for (const node of moved) {
      const wanted = shortest(node, before, after, layer);
      if (wanted === layer[node]) {
        continue;
      }
      layer[node] = wanted;
      changes += 1;
    }
    if (changes === 0 && round > 0) {
      break;
    }
  }
  return { from: start, to: end, turned, layer: withoutGaps(layer) };
}

/**
 * Marks edges that lead back to a node on the current path. Walks begin at nodes without callers, so
 * that callers stay left of the callees. The walk uses an explicit stack: a chain of thousands of services would
 * overflow the call stack.
 */
function edgesBack(nodes: number, from: Int32Array, to: Int32Array): Uint8Array {
  const { first, ends, edges } = adjacencyOf(nodes, from, to);
  const reached = new Uint8Array(nodes);
  for (const node of to) {
    reached[node] = 1;
  }
  const back = new Uint8Array(from.length);
  /** Per node: 0 not visited, 1 on the current path, 2 done. */
  const state = new Uint8Array(nodes);
  const next = first.slice(0, nodes);
  const way: number[] = [];
  const walk = (root: number) => {
    if (state[root] !== 0) {
      return;
    }
    state[root] = 1;
    way.push(root);
    for (let node = way.at(-1); node !== undefined; node = way.at(-1)) {
      const at = next[node] as number;
      if (at === first[node + 1]) {
        state[node] = 2;
        way.pop();
        continue;
      }
      next[node] = at + 1;
      const end = ends[at] as number;
      if (state[end] === 1) {
        back[edges[at] as number] = 1;
      } else if (state[end] === 0) {
        state[end] = 1;
        way.push(end);
      }
    }
  };
  for (let node = 0; node < nodes; node += 1) {
    if (reached[node] === 0) {
      walk(node);
    }
  }
  for (let node = 0; node < nodes; node += 1) {
    walk(node);
  }
  return back;
}

/**
 * All nodes in topological order: each after its callers. Source: A. B. Kahn, "Topological sorting of large
 * networks" (1962)
 */
function callersFirst(nodes: number, after: Adjacency, before: Adjacency): Int32Array {
  const order = new Int32Array(nodes);
  const open = new Int32Array(nodes);
  let count = 0;
  for (let node = 0; node < nodes; node += 1) {
    open[node] = (before.first[node + 1] as number) - (before.first[node] as number);
    if (open[node] === 0) {
      order[count++] = node;
    }
  }
  for (let at = 0; at < count; at += 1) {
    const node = order[at] as number;
    for (let edge = after.first[node] as number; edge < (after.first[node + 1] as number); edge += 1) {
      const end = after.ends[edge] as number;
      open[end] = (open[end] as number) - 1;
      if (open[end] === 0) {
        order[count++] = end;
      }
    }
  }
  return order;
}

/** The lowest layer above all callers of a node; 0 without callers. */
function lowest(node: number, before: Adjacency, layer: Int32Array): number {
  let lowestLayer = 0;
  for (let at = before.first[node] as number; at < (before.first[node + 1] as number); at += 1) {
    lowestLayer = Math.max(lowestLayer, (layer[before.ends[at] as number] as number) + 1);
  }
  return lowestLayer;
}

/**
 * The layer in which a node's edges are shortest while all other nodes stay. It is close to the callers when they
 * outnumber the callees, and close to the callees in the opposite case. With equal numbers the node keeps its layer.
 */
function shortest(node: number, before: Adjacency, after: Adjacency, layer: Int32Array): number {
  const own = layer[node] as number;
  const incoming = (before.first[node + 1] as number) - (before.first[node] as number);
  const outgoing = (after.first[node + 1] as number) - (after.first[node] as number);
  if (incoming > outgoing) {
    return lowest(node, before, layer);
  }
  if (incoming === outgoing || outgoing === 0) {
    return own;
  }
  let highest = Number.POSITIVE_INFINITY;
  for (let at = after.first[node] as number; at < (after.first[node + 1] as number); at += 1) {
    highest = Math.min(highest, (layer[after.ends[at] as number] as number) - 1);
  }
  return highest;
}

/** The layers renumbered from 0, so that none is empty. */
function withoutGaps(layer: Int32Array): Int32Array {
  const used = [...new Set(layer)].sort((a, b) => a - b);
  const rank = new Map(used.map((value, index) => [value, index]));
  return layer.map((value) => rank.get(value) ?? 0);
}
