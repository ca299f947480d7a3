import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

test.each([
  [{ debug: ["1"] }, "/?debug=1", true],
  [{ debug: ["1"] }, "/?debug=2", false],
  [{ debug: ["1"] }, "/?debug=2&debug=1", true],
  [{ debug: ["1", "2"] }, "/?debug=2", true],
  [{ debug: ["1"] }, "/", false],
  [{ debug: ["*"] }, "/?debug=something", true],
  [{ debug: ["*"] }, "/?other=1", false],
  [{ debug: [""] }, "/?debug", true],
  [{ debug: [] }, "/?debug=1", false],
  [{ a: ["1"], b: ["2"] }, "/?a=1", false],
  [{ a: ["1"], b: ["2"] }, "/?b=2&a=1", true],
  [{}, "/", true],
  [{}, "/?", true],
  [{}, "/?a", false],
  [{ a: ["1"] }, "/?a=1;b=2", false],
  [{ a: ["1"] }, "/?a=1&b=%zz", false],
  [{ "{http.vars.k}": ["{http.request.method}"] }, "/?k=GET", true],
])("%j and %s: %s", async (config, target, expected) => {
  const matcher = await provisionMatcher("query", config);
  const exchange = makeExchange({ target });
  exchange.vars.set("k", "k");
  expect(matcher.matches(exchange)).toBe(expected);
});
