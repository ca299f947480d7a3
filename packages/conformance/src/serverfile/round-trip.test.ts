import { expect, test } from "vitest";
import { roundTrips } from "./round-trip.ts";

test("generated texts come back from JSON as texts of the same JSON", { timeout: 120_000 }, async () => {
  const { same, refused, different } = await roundTrips(150, 1000);
  expect(different).toEqual([]);
  expect(same).toBeGreaterThan(50);
  // docs/serverfile.md says what is refused: sites that share servers in ways of which the JSON keeps too little.
  expect(refused.length * 10).toBeLessThan(same);
  for (const { reason } of refused) {
    expect(reason).toMatch(/^no serverfile says \/config(?:\/\S*)?: ./);
  }
});
