import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { ModuleContext } from "../../core/modules/module-context.ts";
import { Exchange } from "../../http/exchange.ts";
import type { HttpMatcher } from "../../http/handler.ts";
import { hostMatcher } from "./host.ts";

function exchangeFor(host: string): Exchange {
  const request = {
    url: "/",
    method: "GET",
    rawHeaders: ["Host", host],
    socket: {},
  } as unknown as IncomingMessage;
  return new Exchange({ product: "server" }, request, {} as ServerResponse);
}

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
  expect(matcher.matches(exchangeFor(host))).toBe(expected);
});
