import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [{ Field: ["a"] }, ["field", "a"], true],
  [{ Field: ["a"] }, ["Field", "b"], false],
  [{ Field: ["a", "b"] }, ["Field", "b"], true],
  [{ Field: ["b"] }, ["Field", "a", "Field", "b"], true],
  [{ Field: ["a"], Other: ["x"] }, ["Field", "a"], false],
  [{ Field: ["a"], Other: ["x"] }, ["Field", "a", "Other", "x"], true],
  [{ Field: ["*"] }, ["Field", "any"], true],
  [{ Field: ["*"] }, [], false],
  [{ Field: ["*end"] }, ["Field", "the end"], true],
  [{ Field: ["start*"] }, ["Field", "the end"], false],
  [{ Field: ["*mid*"] }, ["Field", "amidst"], true],
  [{ Field: [] }, ["Field", ""], true],
  [{ Field: [] }, [], false],
  [{ Field: null }, [], true],
  [{ Field: null }, ["Field", "a"], false],
  [{ Host: ["example.com:8080"] }, [], true],
  [{ Field: ["{http.request.method}"] }, ["Field", "GET"], true],
  [{ Field: ["ü"] }, ["Field", "\xc3\xbc"], true],
  [{ Field: ["ü"] }, ["Field", "\xfc"], false],
  [{ Field: ["*ü*"] }, ["Field", "f\xc3\xbcr"], true],
  [{}, [], true],
])("%j and %j: %s", async (config, headers, expected) => {
  const matcher = await provisionMatcher("header", config);
  expect(matcher.matches(makeExchange({ headers, host: "example.com:8080" }))).toBe(expected);
});
