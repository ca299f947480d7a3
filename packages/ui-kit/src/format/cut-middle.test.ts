import { expect, test } from "vitest";
import { cutMiddle } from "./cut-middle.ts";

test.each([
  ["checkout", 8, "checkout"],
  ["checkout-service", 11, "checko…vice"],
  ["🛒🛒🛒🛒", 4, "🛒🛒🛒🛒"],
  ["🛒🛒🛒🛒🛒🛒", 5, "🛒🛒🛒…🛒"],
  ["abc  defgh", 6, "abc…gh"],
])("%s in %i letters", (text, most, expected) => {
  expect(cutMiddle(text, most)).toBe(expected);
});
