import { describe, expect, test } from "vitest";
import { findAdminModel } from "../admin-api/comparison/find-admin-model.ts";
import { compareOutcomes, runAllCommands } from "./compare-commands.ts";
import { readRecordedOutcomes } from "./recorded-outcomes.ts";

const patienceMs = 300_000;

test("ours does as the public model did when it was recorded", { timeout: patienceMs }, async () => {
  const { asked, unknown, stale } = compareOutcomes(readRecordedOutcomes(), await runAllCommands());
  expect(unknown).toEqual([]);
  expect(stale).toEqual([]);
  expect(asked).toBeGreaterThan(50);
});

const program = findAdminModel();

describe.skipIf(program === undefined)("the public model, where it is", () => {
  test("does what was recorded", { timeout: patienceMs }, async () => {
    expect(await runAllCommands(program)).toEqual(readRecordedOutcomes());
  });
});
