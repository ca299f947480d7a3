import { expect, test } from "vitest";
import { makeExchange } from "../testing/make-exchange.ts";
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
