import type { HttpMatcher } from "http-engine/handler";
import { makeExchange } from "http-engine/testing/make-exchange";
import type { ModuleContext } from "server-core/modules/module-context";
import { expect, test } from "vitest";
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
  ["Bücher.example", "xn--bcher-kva.example", true],
  ["*.bücher.example", "a.xn--bcher-kva.example", true],
  ["{http.request.host}", "x.example", true],
])("pattern %s and host %s: %s", async (pattern, host, expected) => {
  const matcher = (await hostMatcher.provision([pattern], {} as ModuleContext)) as HttpMatcher;
  expect(matcher.matches(makeExchange({ host }))).toBe(expected);
});

test("a name that stands twice is refused", () => {
  const names = ["a.example", "*.b.example", "A.example"];
  expect(() => hostMatcher.provision(names, {} as ModuleContext)).toThrow(
    "host at index 0 is repeated at index 2: A.example",
  );
});
