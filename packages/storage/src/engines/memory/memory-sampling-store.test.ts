import { expect, test } from "vitest";
import { MemorySamplingStore } from "./memory-sampling-store.ts";

test("drops the oldest throughput when there are more entries than its limit", async () => {
  const store = new MemorySamplingStore(4);
  const entry = { service: "s", count: 1, probabilities: [] };
  for (const [index, operation] of ["a", "b", "c"].entries()) {
    await store.insertThroughput(
      [
        { ...entry, operation },
        { ...entry, operation: `${operation}2` },
      ],
      1_000 + index,
    );
  }
  const kept = await store.getThroughput(0, 2_000);
  expect(kept.map(({ operation }) => operation)).toEqual(["b", "b2", "c", "c2"]);
});
