import { expect, test } from "vitest";
import { matchText } from "./match-text.ts";

test.each([
  [undefined, ""],
  [[{}], ""],
  [
    [{ host: ["a.example"], path: ["/a", "/b", "/c", "/d", "/e"] }],
    "host a.example, path /a /b /c and 2 more",
  ],
  [[{ method: ["GET"] }, { expression: "true" }], "method GET or expression true"],
  [[{ not: [{ path: ["/a"] }] }], "not"],
])("%j is %j", (match, text) => {
  expect(matchText(match)).toBe(text);
});
