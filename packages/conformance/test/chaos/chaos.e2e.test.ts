// The short form of `npm run chaos`: each kill and each cut link once.

import { expect, test } from "vitest";
import { newSeed } from "../faults/seeded-random.ts";
import { chaosCases } from "./chaos-cases.ts";
import { runCases } from "./run-cases.ts";

test("kills and cut links lose nothing that was acknowledged, and store nothing twice", async () => {
  const seed = newSeed();
  const cases = chaosCases.filter(({ isShort }) => isShort);
  const rows = await runCases(cases, { seed, isShort: true });
  expect(
    rows.filter(({ isOk }) => !isOk),
    `seed ${seed}`,
  ).toEqual([]);
  expect(rows.map((row) => row.case)).toEqual(cases.map(({ name }) => name));
  for (const { case: name, acknowledged, found, missing, twice } of rows) {
    expect({ found, missing, twice }, name).toEqual({ found: acknowledged, missing: 0, twice: 0 });
    expect(acknowledged, name).toBeGreaterThan(0);
  }
}, 400_000);
