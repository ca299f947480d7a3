// The short form of the cases `threads/…` of `npm run chaos`.

import { expect, test } from "vitest";
import { newSeed } from "../../faults/seeded-random.ts";
import { runThreadCase } from "./run-thread-case.ts";
import { threadCases } from "./thread-cases.ts";

test.each(threadCases.filter(({ isShort }) => isShort))(
  "$name: a connection ends with its own thread only",
  async (threadCase) => {
    const seed = newSeed();
    const row = await runThreadCase(threadCase, { seed, isShort: true });
    expect(row.problems, `seed ${seed}`).toEqual([]);
    expect(row.deaths).toBeGreaterThanOrEqual(3);
    expect(row.lost).toBe(0);
  },
  300_000,
);
