import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkoutRightsText } from "./checkout-rights.mjs";

test("folders that can be written to, or made, need no word", () => {
  expect(checkoutRightsText(tmpdir(), join(tmpdir(), "not", "there", "yet"))).toBe("");
});

test("a folder that refuses is named, also as the place of one that is not there yet", () => {
  // Nobody can make a folder there, root neither.
  expect(checkoutRightsText(tmpdir(), "/proc/self/x")).toMatch(/^cannot start: \/proc\/self/);
});
