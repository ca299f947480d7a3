import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [{}, true],
  [{ x: ["a", "b"] }, true],
  [{ x: ["a"] }, false],
  [{ absent: [""] }, true],
  [{ n: ["5"] }, true],
  [{ flag: ["true"] }, true],
  [{ "{http.request.uri.path}": ["/p"] }, true],
  [{ "{http.nothing}": [""] }, true],
  [{ x: ["{http.vars.same}"] }, true],
  [{ x: ["no"], n: ["5"] }, true],
])("%j: %s", async (config, expected) => {
  const exchange = makeExchange({ target: "/p" });
  for (const [name, value] of Object.entries({ x: "b", n: 5, flag: true, same: "b" })) {
    exchange.vars.set(name, value);
  }
  expect((await provisionMatcher("vars", config)).matches(exchange)).toBe(expected);
});

test.each([
  [{ x: { pattern: "^b$" } }, true],
  [{ x: { pattern: "^c$" } }, false],
  [{ "{http.request.uri.path}": { name: "p", pattern: "^/(.)$" } }, true],
])("regexp %j: %s", async (config, expected) => {
  const exchange = makeExchange({ target: "/p" });
  exchange.vars.set("x", "b");
  expect((await provisionMatcher("vars_regexp", config)).matches(exchange)).toBe(expected);
});
