import { expect, test } from "vitest";
import { unixMicros } from "./unix-micros.ts";

test.each([
  ["1795813359418000000", 1_795_813_359_418_000],
  ["1795813359418000999", 1_795_813_359_418_000],
  ["0", 0],
  ["", 0],
])("%j ns are %d µs", (nanoseconds, micros) => {
  expect(unixMicros(nanoseconds)).toBe(micros);
});
