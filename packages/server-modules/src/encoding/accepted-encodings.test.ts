import { expect, test } from "vitest";
import { acceptedEncodings } from "./accepted-encodings.ts";

test.each([
  ["", []],
  ["gzip", ["gzip"]],
  ["gzip, br, zstd", ["zstd", "br", "gzip"]],
  ["gzip;q=1, zstd;q=0.5", ["gzip", "zstd"]],
  ["gzip;q=0", []],
  ["GZIP ; Q=0.3 , br;q=0.4", ["br", "gzip"]],
  ["*", ["zstd", "br", "gzip"]],
  ["*;q=0.1, gzip;q=0", ["zstd", "br"]],
  ["identity", []],
  ["deflate, gzip;q=0.001", ["gzip"]],
  ["gzip;q=oops", ["gzip"]],
  [",,;q=1,gzip", ["gzip"]],
])("%s: %j", (header, expected) => {
  expect(acceptedEncodings(header, ["zstd", "br", "gzip"])).toEqual(expected);
});
