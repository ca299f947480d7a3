import { type Adjacency, adjacencyOf } from "./adjacency.ts";

/** Maximum number of sweeps over the columns, for graphs whose number of crossings keeps changing. */
const mostSweeps = 24;
/** Maximum number of consecutive sweeps without fewer crossings. The ordering then ends. */
const mostVainSweeps = 4;

/** Nodes in columns; all edges lead from one column to the next. */
export interface Columns {
  /** Per column: its nodes from top to bottom. */
  columns: readonly Int32Array[];
  /** Per node: its neighbours in the column before. */
  before: Adjacency;
  /** Per node: its neighbours in the column after. */
  after: Adjacency;
}

/**
 * Orders the nodes of each column so that few edges cross. Each node moves to the average position of its neighbours in
 * the adjacent column. Sweeps alternate in direction, and the best order is kept. Cost of a sweep: edges times the
 * logarithm of a column's size.
 * @param layer per node: its column
 * @param from per edge: its node in one column
 * @param to per edge: its node in the next column. Source: K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual
 * understanding of hierarchical system structures" (1981)
 */
export function orderColumns(layer: Int32Array, from: Int32Array, to: Int32Array): Columns {
  const after = adjacencyOf(layer.length, from, to);
  const before = adjacencyOf(layer.length, to, from);
  const place = new Float64Array(layer.length);
  let columns = firstOrder(layer, after, before, place);
  let best = columns.map((column) => column.slice());
  let fewest = crossings(columns, after, place);
  for (let sweep = 0, vain = 0; sweep < mostSweeps && vain < mostVainSweeps && fewest > 0; sweep += 1) {
    const forwards = sweep % 2 === 0;
    columns = sortColumns(columns, forwards, forwards ? before : after, place);
    const count = crossings(columns, after, place);
    vain = count < fewest ? 0 : vain + 1;
    if (count >= fewest) {
      continue;
    }
    fewest = count;
    best = columns.map((column) => column.slice());
  }
  return { columns: best, before, after };
}

/** The initial order: nodes in the order of a walk along the edges, so that connected nodes begin close together. */
function firstOrder(
  layer: Int32Array,
  after: Adjacency,
  before: Adjacency,
  place: Float64Array,
): Int32Array[] {
  const columns: number[][] = Array.from(
    { length: layer.reduce((most, at) => Math.max(most, at + 1), 0) },
    () => [],
  );
  const seen = new Uint8Array(layer.length);
  const stack: number[] = [];
  const roots = Int32Array.from(layer.keys()).sort(
    (a, b) => (layer[a] as number) - (layer[b] as number) || a - b,
  );
  for (const root of roots) {
    stack.push(root);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (seen[node] === 1) {
        continue;
      }
      seen[node] = 1;
      const column = columns[layer[node] as number] as number[];
      place[node] = column.length;
      column.push(node);
      for (const { first, ends } of [before, after]) {
        for (let at = (first[node + 1] as number) - 1; at >= (first[node] as number); at -= 1) {
          stack.push(ends[at] as number);
        }
      }
    }
  }
  return columns.map((column) => Int32Array.from(column));
}

/**
 * One sweep: the nodes of each column but the first are sorted by the average position of their neighbours in the
 * previous column of the sweep. Equal averages keep their order. Writes `place`.
 */
function sortColumns(
  columns: readonly Int32Array[],
  forwards: boolean,
  neighbours: Adjacency,
  place: Float64Array,
): Int32Array[] {
  const sorted = columns.map((column) => column.slice());
  const wanted = new Float64Array(place.length);
  for (let step = 1; step < sorted.length; step += 1) {
    const column = sorted[forwards ? step : sorted.length - 1 - step] as Int32Array;
    for (const node of column) {
      wanted[node] = average(node, neighbours, place);
    }
    column.sort(
      (a, b) => (wanted[a] as number) - (wanted[b] as number) || (place[a] as number) - (place[b] as number),
    );
    column.forEach((node, index) => {
      place[node] = index;
    });
  }
  return sorted;
}

/** The mean position of a node's neighbours; the node's position without neighbours. */
function average(node: number, { first, ends }: Adjacency, place: Float64Array): number {
  const from = first[node] as number;
  const until = first[node + 1] as number;
  if (from === until) {
    return place[node] as number;
  }
  let sum = 0;
  for (let at = from; at < until; at += 1) {
    sum += place[ends[at] as number] as number;
  }
  return sum / (until - from);
}

/** Counts the pairs of edges that cross. Writes each node's position into `place`. */
function crossings(columns: readonly Int32Array[], after: Adjacency, place: Float64Array): number {
  for (const column of columns) {
    column.forEach((node, index) => {
      place[node] = index;
    });
  }
  let count = 0;
  columns.forEach((column, index) => {
    const next = columns[index + 1];
    if (next !== undefined) {
      count += crossingsBetween(column, next.length, after, place);
    }
  });
  return count;
}

/**
 * Counts crossings of adjacent columns with an accumulator tree. Source: W. Barth, M. Jünger, P. Mutzel, "Simple and
 * efficient bilayer cross counting" (2002)
 */
function crossingsBetween(column: Int32Array, size: number, after: Adjacency, place: Float64Array): number {
  const sums = new Int32Array(size + 1);
  let seen = 0;
  let count = 0;
  for (const node of column) {
    const ends = after.ends.subarray(after.first[node], after.first[node + 1]);
    const places = Int32Array.from(ends, (end) => place[end] as number).sort();
    for (const at of places) {
      let notBelow = 0;
      for (let sum = at + 1; sum > 0; sum -= sum & -sum) {
        notBelow += sums[sum] as number;
      }
      count += seen - notBelow;
    }
    for (const at of places) {
      for (let sum = at + 1; sum <= size; sum += sum & -sum) {
        sums[sum] = (sums[sum] as number) + 1;
      }
    }
    seen += places.length;
  }
  return count;
}
