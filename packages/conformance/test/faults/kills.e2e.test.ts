import { expect, test } from "vitest";
import { runKills } from "./kill-run.ts";
import { newSeed } from "./seeded-random.ts";

/** `node packages/conformance/bin/faults.ts kills` makes a hundred kills or more. */
const kills = 12;
const budgetMs = 40_000;

test("kill -9 again and again in the middle of ingest: every acknowledged span is found once", async () => {
  const seed = newSeed();
  const report = await runKills({ kills, seed, budgetMs, say: () => {} });
  const what = `seed ${seed}: ${JSON.stringify(report)}`;
  expect(report.problems, what).toEqual([]);
  expect(report.collectorKills, what).toBeGreaterThan(2);
  expect(Object.keys(report.acknowledgedByDoor), what).toHaveLength(5);
  expect(report.found, what).toBe(report.acknowledged);
  expect(report.duplicates, what).toBe(0);
}, 240_000);
