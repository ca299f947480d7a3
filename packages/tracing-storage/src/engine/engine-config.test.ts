import { expect, test } from "vitest";
import { purgeRatio } from "./engine-config.ts";

const gibibyte = 1_073_741_824;

test("lets each core keep 180 MiB, whatever the limit, but never more than nine tenths of it", () => {
  expect(purgeRatio(4 * gibibyte, 2)).toBe(0.087890625);
  expect(purgeRatio(8 * gibibyte, 4) * 8 * gibibyte).toBe(4 * 180 * 1_048_576);
  expect(purgeRatio(gibibyte, 16)).toBe(0.9);
});
