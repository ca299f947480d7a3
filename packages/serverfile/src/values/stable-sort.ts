/** True when `a` must precede `b`. */
type Less<T> = (a: T, b: T) => boolean;

/**
 * Number of items in each block that is sorted by insertion before the blocks are merged. Another size could change the
 * order of the result.
 */
const blockSize = 20;

/** The item at an index that must exist. */
function at<T>(items: readonly T[], index: number): T {
  return items[index] as T; // callers use only indexes inside the array
}

function swap<T>(items: T[], a: number, b: number): void {
  const kept = at(items, a);
  items[a] = at(items, b);
  items[b] = kept;
}

/** Sorts [from, to) in place. */
export function insertionSort<T>(items: T[], from: number, to: number, less: Less<T>): void {
  for (let i = from + 1; i < to; i++) {
    for (let j = i; j > from && less(at(items, j), at(items, j - 1)); j--) {
      swap(items, j, j - 1);
    }
  }
}

/** Exchanges the neighboring ranges [from, middle) and [middle, to); the order inside each range stays. */
function rotate<T>(items: T[], from: number, middle: number, to: number): void {
  const moved = items.slice(from, middle);
  items.copyWithin(from, middle, to);
  for (let index = 0; index < moved.length; index++) {
    items[to - moved.length + index] = at(moved, index);
  }
}

/** The first index in [from, to) for which `holds` is true; `to` without such an index. */
function search(from: number, to: number, holds: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** Two adjacent sorted ranges: [from, middle) and [middle, to). */
interface Neighbours {
  readonly from: number;
  readonly middle: number;
  readonly to: number;
}

/** Merges adjacent sorted ranges in place. */
function merge<T>(items: T[], { from, middle, to }: Neighbours, less: Less<T>): void {
  if (middle - from === 1) {
    const end = search(middle, to, (index) => !less(at(items, index), at(items, from)));
    rotate(items, from, middle, end);
    return;
  }
  if (to - middle === 1) {
    const start = search(from, middle, (index) => less(at(items, middle), at(items, index)));
    rotate(items, start, middle, to);
    return;
  }
  const half = (from + to) >>> 1;
  const sum = half + middle;
  const low = middle > half ? sum - to : from;
  const high = Math.min(half, middle);
  const last = sum - 1;
  const start = search(low, high, (index) => less(at(items, last - index), at(items, index)));
  const end = sum - start;
  if (start < middle && middle < end) {
    rotate(items, start, middle, end);
  }
  if (from < start && start < half) {
    merge(items, { from, middle: start, to: half }, less);
  }
  if (half < end && end < to) {
    merge(items, { from: half, middle: end, to }, less);
  }
}

/**
 * Sorts in place; equal items keep their order. `less` need not be a strict weak order: a route without a path equals
 * both routes with long paths and routes with short paths. In that case the result depends on the algorithm, so the
 * algorithm of Caddy is used. Source: Kim and Kutzner, "Stable Minimum Storage Merging by Symmetric
 * Comparisons" (2004), over blocks of 20
 */
export function stableSort<T>(items: T[], less: Less<T>): void {
  const count = items.length;
  let from = 0;
  for (; from + blockSize <= count; from += blockSize) {
    insertionSort(items, from, from + blockSize, less);
  }
  insertionSort(items, from, count, less);
  for (let size = blockSize; size < count; size *= 2) {
    let start = 0;
    for (; start + 2 * size <= count; start += 2 * size) {
      merge(items, { from: start, middle: start + size, to: start + 2 * size }, less);
    }
    if (start + size < count) {
      merge(items, { from: start, middle: start + size, to: count }, less);
    }
  }
}
