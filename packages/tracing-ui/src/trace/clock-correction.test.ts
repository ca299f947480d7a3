import { expect, test } from "vitest";
import { isSmallCorrection } from "./clock-correction.ts";

test.each([
  ["This span's timestamps were adjusted by 9.99ms", true],
  ["This span's timestamps were adjusted by -99.5µs", true],
  ["This span's timestamps were adjusted by 10ms", false],
  ["This span's timestamps were adjusted by -1m2.5s", false],
  ["max clock skew adjustment delta of 1µs exceeded; not applying calculated delta of 10µs", false],
  ["duplicate span IDs; skipping clock skew adjustment", false],
])("%s", (warning, isSmall) => {
  expect(isSmallCorrection(warning)).toBe(isSmall);
});
