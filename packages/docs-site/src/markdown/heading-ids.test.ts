import { expect, test } from "vitest";
import { HeadingIds } from "./heading-ids.ts";

test.each([
  ["A dry run: /validate", "a-dry-run-validate"],
  ["Change together with others: Etag and If-Match", "change-together-with-others-etag-and-if-match"],
  ["Create and replace: POST, PUT, PATCH", "create-and-replace-post-put-patch"],
  ["`--flag_name` of Ümläut", "--flag_name-of-ümläut"],
])("%s", (text, id) => {
  expect(new HeadingIds().next(text)).toBe(id);
});

test("A heading that is there twice gets a number", () => {
  const ids = new HeadingIds();
  expect(["Limits", "Limits", "Limits"].map((text) => ids.next(text))).toEqual([
    "limits",
    "limits-1",
    "limits-2",
  ]);
});
