import { expect, test } from "vitest";
import { roundTrips } from "./round-trip.ts";

/**
 * Texts whose JSON does not tell how it was written: empty sites, or sites served nowhere; addresses with
 * several spellings; certificates that options or other sites name. They come back repaired.
 */
const hard = [1344, 1813, 2441, 2645, 2673, 3034, 3375, 3403];

test("generated texts come back from JSON as texts of the same JSON", { timeout: 120_000 }, async () => {
  const some = Array.from({ length: 40 }, (_each, index) => 1000 + index);
  const { same, wrong, refused, different } = await roundTrips([...some, ...hard]);
  expect({ refused, different }).toEqual({ refused: [], different: [] });
  expect(same + wrong).toBe(some.length + hard.length);
  expect(same).toBeGreaterThan(15);
});
