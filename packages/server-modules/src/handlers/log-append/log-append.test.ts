import { extraLogFields } from "http-engine/extra-fields";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

/** The fields of the access log's line after handlers set `{http.vars.tier}` to `later`. */
async function fieldsAfter(config: object): Promise<Record<string, unknown>> {
  const handler = await provisionHandler("log_append", config);
  const exchange = makeExchange();
  exchange.vars.set("tier", "first");
  await handler.handle(exchange, () => {
    exchange.vars.set("tier", "later");
  });
  return Object.fromEntries(extraLogFields(exchange));
}

test.each([
  ["a placeholder", "{http.request.host}", "example.com"],
  ["the name of a variable", "tier", "later"],
  ["a placeholder of a variable", "{http.vars.tier}", "later"],
  ["a text", "a text", "a text"],
  ["a placeholder that nobody knows", "{no.such.placeholder}", null],
])("the value may be %s", async (_kind, value, expected) => {
  expect(await fieldsAfter({ key: "k", value })).toEqual({ k: expected });
});

test("an early value is taken before the next handlers run", async () => {
  expect(await fieldsAfter({ key: "k", value: "tier", early: true })).toEqual({ k: "first" });
});

test("a key is needed", async () => {
  await expect(provisionHandler("log_append", { key: "", value: "a" })).rejects.toThrow("key");
});
