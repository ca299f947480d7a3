import { expect, test } from "vitest";
import { openPowerDisk } from "./power-disk.ts";
import { runPowerCuts } from "./power-run.ts";
import { newSeed } from "./seeded-random.ts";

/** `node packages/conformance/bin/faults.ts power` makes more cuts. */
const cuts = 4;

test("the power fails again and again in the middle of ingest: every acknowledged span is found once", async (context) => {
  const disk = await openPowerDisk().catch(() => context.skip("needs the right to mount a disk in a file"));
  try {
    const seed = newSeed();
    const report = await runPowerCuts({ disk, cuts, seed, say: () => {} });
    const what = `seed ${seed}: ${JSON.stringify(report)}`;
    expect(report.problems, what).toEqual([]);
    expect(report.damagedParts, what).toBe(0);
    expect(Object.keys(report.acknowledgedByDoor), what).toHaveLength(5);
    expect(report.found, what).toBe(report.acknowledged);
    expect(report.duplicates, what).toBe(0);
  } finally {
    await disk.close();
  }
}, 240_000);
