/**
 * Runs `work` on every item, at most `limit` at the same time. After the first failure no further item starts. The
 * failure is thrown after all running items have ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = iterator.next();
      if (next.done === true) {
        return;
      }
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) {
    throw failures[0];
  }
}
