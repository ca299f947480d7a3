import { expect, test } from "vitest";
import { roundTrips } from "./round-trip.ts";

/**
 * Texts whose JSON does not tell how it was written: empty sites, or sites served nowhere; addresses with
 * several spellings; certificates that options or other sites name. They come
 * back, since each of these things has two places at most.
 */
const hard = [1344, 1813, 2645, 2673, 3034, 3403];

/** Texts whose groups count directives that the JSON does not have: no writer knows of them. */
const refusedSeeds = [2441, 3375];

test("generated texts come back from JSON as texts of the same JSON", { timeout: 120_000 }, async () => {
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
