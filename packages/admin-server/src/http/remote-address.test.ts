import { expect, test } from "vitest";
import { remoteAddress } from "./remote-address.ts";

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::1", "::1"],
  ["::ffff:c000:207", "::ffff:c000:207"],
  [undefined, ""],
])("%s is told as %s", (given, told) => {
  expect(remoteAddress({ remoteAddress: given })).toBe(told);
});
