import { expect, test } from "vitest";
import { addressesOverlap } from "./addresses-overlap.ts";

test.each([
  [":80", ":80", true],
  [":80", "127.0.0.1:80", true],
  ["0.0.0.0:80", "[::1]:80", true],
  ["localhost:80", "127.0.0.1:80", true],
  ["127.0.0.1:80", "127.0.0.2:80", false],
  [":80", ":81", false],
  ["127.0.0.1:0", "127.0.0.1:0", false],
  ["unix//run/a.sock", "unix//run/a.sock", true],
  ["unix//run/a.sock", "unix//run/b.sock", false],
  ["fd/3", "fd/3", true],
])("%s and %s", (one, other, expected) => {
  expect([addressesOverlap(one, other), addressesOverlap(other, one)]).toEqual([expected, expected]);
});
