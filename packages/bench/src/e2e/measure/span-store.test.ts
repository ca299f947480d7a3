import { expect, test } from "vitest";
import { type SpanStore, waitForSpans } from "./span-store.ts";

/** A store that gives one answer after another; the last answer is repeated. */
function storeOf(...counts: (number | Error)[]): SpanStore {
  return {
    countSpans: async () => {
      const next = counts.length > 1 ? counts.shift() : counts[0];
      if (typeof next === "number") {
        return next;
      }
      throw next;
    },
    diskUsage: async () => undefined,
  };
}

test.each<[string, SpanStore, number]>([
  ["all are there at once", storeOf(150), 50],
  ["they come one after another", storeOf(100, 120, 150), 50],
  ["there are more than expected", storeOf(170), 70],
  ["the store is away for a moment", storeOf(120, new Error("away"), 150), 50],
  ["some never come", storeOf(100, 120), 20],
  ["none comes", storeOf(100), 0],
])("waitForSpans when %s", async (_case, store, stored) => {
  const found = await waitForSpans(store, 100, 50, 500);
  expect(found.stored).toBe(stored);
});

test("waitForSpans fails when the store cannot be asked", async () => {
  const away = waitForSpans(storeOf(new Error("away")), 0, 1, 100);
  await expect(away).rejects.toThrow("cannot count the stored spans");
});
