import { expect, test } from "vitest";
import { roundTrips } from "./round-trip.ts";

/**
 * Texts whose form the JSON does not show: empty sites, or sites without a listener; addresses with several spellings;
 * certificates that options or other sites name. They can be restored, because each of these parts has at most two
 * possible places.
 */
const hard = [1344, 1813, 2645, 2673, 3034, 3403];

/** Texts whose groups count directives that are absent in the JSON, so that no writer can know them. */
const refusedSeeds = [2441, 3375];

test("generated texts come back from JSON as texts of the same JSON", { timeout: 180_000 }, async () => {
  const some = Array.from({ length: 40 }, (_each, index) => 1000 + index);
  const { same, wrong, refused, different } = await roundTrips([...some, ...hard, ...refusedSeeds]);
  expect(different).toEqual([]);
  expect(refused.map(({ seed }) => seed)).toEqual(refusedSeeds);
  for (const { reason } of refused) {
    expect(reason).toMatch(/the nearest differs at \/config\/apps\/http\/.*\/group$/);
  }
  expect(same + wrong).toBe(some.length + hard.length);
  expect(same).toBeGreaterThan(15);
});
