import { expect, test } from "vitest";
import { shortId } from "./short-id.ts";

const zeros = "0".repeat(16);

test.each([
  ["d8b7eb2154448f9d", "d8b7eb2154448f9d"],
  ["dead", "000000000000dead"],
  ["00b7eb2154448f9d", "00b7eb2154448f9d"],
  [`${zeros}d8b7eb2154448f9d`, "d8b7eb2154448f9d"],
])("%s is short", (id, digits) => {
  expect(shortId(id)).toEqual({ zeros, digits });
});

test.each(["71a81d73ce7902db83be4d12250bd874", "00000000000000012250bd87401234567"])("%s is whole", (id) => {
  expect(shortId(id)).toBeUndefined();
});
