import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  ["http", {}, true],
  ["https", {}, false],
  ["https", { encrypted: true }, true],
  ["grpc", { headers: ["Content-Type", "application/grpc+proto"] }, true],
  ["grpc", {}, false],
  ["http/1.0", { version: "1.0" }, true],
  ["http/1.1", { version: "1.0" }, false],
  ["http/1.1+", { version: "2.0" }, true],
  ["http/2", { version: "2.0" }, true],
  ["http/2+", { version: "1.1" }, false],
  ["http/3", { version: "2.0" }, false],
])("%s and %j: %s", async (name, made, expected) => {
  const matcher = await provisionMatcher("protocol", name);
  expect(matcher.matches(makeExchange(made))).toBe(expected);
});

test("an unknown protocol is refused", async () => {
  await expect(provisionMatcher("protocol", "spdy")).rejects.toThrow(/protocol/);
});
