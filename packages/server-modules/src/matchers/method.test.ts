import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [["GET"], "GET", true],
  [["GET", "POST"], "POST", true],
  [["get"], "GET", true],
  [["GET"], "HEAD", false],
  [["GET"], "get", false],
  [["PROPFIND"], "PROPFIND", true],
  [[], "GET", false],
])("%j matches %s: %s", async (methods, method, expected) => {
  const matcher = await provisionMatcher("method", methods);
  expect(await matcher.matches(makeExchange({ method }))).toBe(expected);
});
