import { expect, test } from "vitest";
import { chooseCoding } from "./content-coding.ts";

test.each([
  [undefined, undefined],
  ["", undefined],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["zstd;q=0.5, gzip", "gzip"],
  ["GZIP;Q=0.2, deflate;q=0.3", "deflate"],
  ["br", undefined],
  ["*", "zstd"],
  ["*;q=0.1, zstd;q=0", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip;q=0.5, identity", undefined],
  ["gzip;q=x", undefined],
])("%s is answered with %s", (accepted, coding) => {
  expect(chooseCoding(accepted)).toBe(coding);
});
