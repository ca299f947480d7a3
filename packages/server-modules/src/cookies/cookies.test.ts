import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { readCookie } from "./cookies.ts";

test.each([
  ["a", "1"],
  ["b", "2=3"],
  ["c", "quoted"],
  ["d", ""],
  ["e", "second header"],
  ["f", undefined],
])("%s is %s", (name, value) => {
  const headers = ["Cookie", 'a=1; b=2=3;c="quoted"; d=; a=9', "cookie", "e=second header"];
  expect(readCookie(makeExchange({ headers }), name)).toBe(value);
});
