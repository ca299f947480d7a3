import { expect, test } from "vitest";
import { retryPauseMs } from "./retry-pause.ts";

test.each([
  [0, [500, 1_000, 2_000, 2_000]],
  [1, [750, 1_500, 3_000, 3_000]],
])("pauses grow up to a limit; random %d", (random, pauses) => {
  expect([0, 1, 2, 1_000].map((retries) => retryPauseMs(retries, random))).toEqual(pauses);
});
