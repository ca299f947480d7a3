import { expect, test } from "vitest";
import { inParallel } from "./parallel.ts";

test("runs as many at a time as allowed, and all of them", async () => {
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    seen.push(item);
    running--;
  });
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test("begins nothing after a failure, and throws it when the others have ended", async () => {
  const seen: number[] = [];
  const late = Promise.withResolvers<void>();
  const work = inParallel([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) {
      throw new Error("first");
    }
    await late.promise;
    seen.push(item);
  });
  late.resolve();
  await expect(work).rejects.toThrow("first");
  expect(seen).toEqual([2]);
});
