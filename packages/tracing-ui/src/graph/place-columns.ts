import type { Adjacency } from "./adjacency.ts";
import type { Columns } from "./order-columns.ts";

/** Number of rounds over all columns. With fewer, lines across many columns stay bent; each round visits all edges. */
const rounds = 24;

/**
 * Computes vertical positions so that edges are short and straight. Each column in turn minimises the sum of squared
 * height differences of its edges. The order and the minimum distances are kept.
 * @param room   minimum distance between the centres of a node and the next one below
 * @param weight weight of the edge between two nodes: heavier edges are drawn more level
 * @returns vertical centre of each node
 */
export function placeColumns(
  { columns, before, after }: Columns,
  nodes: number,
  room: (above: number, below: number) => number,
  weight: (a: number, b: number) => number,
): Float64Array {
  const y = new Float64Array(nodes);
  for (const column of columns) {
    let at = 0;
    column.forEach((node, index) => {
      if (index > 0) {
        at += room(column[index - 1] as number, node);
      }
      y[node] = at;
    });
    for (const node of column) {
      y[node] = (y[node] as number) - at / 2;
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    const both = round < 2 ? [round === 0 ? before : after] : [before, after];
    for (const column of round % 2 === 0 ? columns : columns.toReversed()) {
      settle(column, both, y, { room, weight });
    }
  }
  return y;
}

/** The constraints between nodes of a layout. */
interface Forces {
  /** Minimum distance between the centres of a node and the node below it. */
  room: (above: number, below: number) => number;
  /** Weight of the edge between two nodes: heavier edges are drawn more level. */
  weight: (a: number, b: number) => number;
}

/** A group of adjacent nodes in a column that moves as a whole. */
interface Block {
  /** Number of nodes in the group. */
  count: number;
  /** Sum of the weights of all edges of these nodes. */
  weight: number;
  /** Sum of weight times desired height, with each node's distance from the column's first node subtracted. */
  sum: number;
}

/**
 * Moves one column. Nodes that would be too close form a block, which moves to the average height of their neighbours.
 * Source: M. Ayer and others, "An empirical distribution function for sampling with incomplete information" (1955)
 */
function settle(
  column: Int32Array,
  sides: readonly Adjacency[],
  y: Float64Array,
  { room, weight }: Forces,
): void {
  const blocks: Block[] = [];
  const offset = new Float64Array(column.length);
  column.forEach((node, index) => {
    if (index > 0) {
      offset[index] = (offset[index - 1] as number) + room(column[index - 1] as number, node);
    }
    // The small weight keeps a node without neighbours at its height, unless other nodes push it away.
    let total = 1e-3;
    let sum = total * (y[node] as number);
    for (const { first, ends } of sides) {
      for (let at = first[node] as number; at < (first[node + 1] as number); at += 1) {
        const end = ends[at] as number;
        const share = weight(node, end);
        total += share;
        sum += share * (y[end] as number);
      }
    }
    let block: Block = { count: 1, weight: total, sum: sum - total * (offset[index] as number) };
    for (let above = blocks.at(-1); above !== undefined; above = blocks.at(-1)) {
      if (above.sum / above.weight < block.sum / block.weight) {
        break;
      }
      blocks.pop();
      block = {
        count: above.count + block.count,
        weight: above.weight + block.weight,
        sum: above.sum + block.sum,
      };
    }
    blocks.push(block);
  });
  let index = 0;
  for (const { count, weight: total, sum } of blocks) {
    for (const end = index + count; index < end; index += 1) {
      y[column[index] as number] = sum / total + (offset[index] as number);
    }
  }
}
