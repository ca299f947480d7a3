const atOnce = 4;

/** Calls `run` with each item, four at a time. @returns results in the order of the items */
export async function inTurn<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(run))));
  }
  return results;
}
