import { expect, test } from "vitest";
import type { ModuleContext } from "../../core/modules/module-context.ts";
import type { HttpMatcher } from "../../http/handler.ts";
import { makeExchange } from "../../testing/make-exchange.ts";
import { hostMatcher } from "./host.ts";

test.each([
  ["example.com", "example.com", true],
  ["Example.COM", "eXample.com:8080", true],
  ["example.com", "www.example.com", false],
  ["*.example.com", "www.example.com", true],
  ["*.example.com", "a.b.example.com", false],
  ["*.example.com", "example.com", false],
  ["*.example.com", ".example.com", false],
  ["a.*.c", "a.b.c", true],
  ["::1", "[::1]:80", true],
  ["[::1]", "[::1]", true],
  ["127.0.0.1", "127.0.0.1:1", true],
  ["{http.request.host}", "x.example", true],
])("pattern %s and host %s: %s", async (pattern, host, expected) => {
  const matcher = (await hostMatcher.provision([pattern], {} as ModuleContext)) as HttpMatcher;
  expect(matcher.matches(makeExchange({ host }))).toBe(expected);
});
