import { expect, test } from "vitest";
import { runAttack } from "./attack-run.ts";
import { attacks } from "./attacks.ts";
import { newSeed } from "./seeded-random.ts";

/** `node packages/conformance/bin/faults.ts attack` runs the attack for minutes. */
const attackMs = 8_000;
/** Limit in MiB for the bodies of running requests, 256 MiB, and a working collector. */
const maxMemoryMiB = 600;
/** Allowed answers to a sender while others send large bodies, or more than the disk accepts. */
const documentedRefusals = ["429, Retry-After 1", "RESOURCE_EXHAUSTED, RetryInfo of 1 s"];

test("attacks on every port at once disturb no sender, and leave no memory and no connections behind", async () => {
  const seed = newSeed();
  const report = await runAttack({ attackMs, seed, say: () => {} });
  const what = `seed ${seed}: ${JSON.stringify(report)}`;
  expect(report.problems, what).toEqual([]);
  expect(Object.keys(report.rounds).sort(), what).toEqual(Object.keys(attacks).sort());
  expect(report.found, what).toBe(report.acknowledged);
  expect(report.cutReasons, what).toEqual([]);
  const refusals = new Set(Object.values(report.requestsRefused).flat());
  expect([...refusals.difference(new Set(documentedRefusals))], what).toEqual([]);
  expect(report.memoryPeakMiB ?? 0, what).toBeLessThan(maxMemoryMiB);
  expect(report.logErrors, what).toEqual([]);
}, 180_000);
