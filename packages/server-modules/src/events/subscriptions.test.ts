import { expect, test } from "vitest";
import { Subscriptions } from "./subscriptions.ts";

test("events go from the module up, first to those who asked for their name", () => {
  const subscriptions = new Subscriptions<string>();
  subscriptions.add([], [], "all");
  subscriptions.add(["Healthy"], ["http"], "http");
  subscriptions.add(["healthy"], [""], "any module");
  subscriptions.add(["healthy", "other"], ["http.handlers.reverse_proxy", "tls"], "proxy");
  subscriptions.add([""], ["http.handlers"], "all of handlers");
  subscriptions.add(["healthy"], ["http.hand"], "no namespace");
  expect([...subscriptions.of("healthy", "http.handlers.reverse_proxy")]).toEqual([
    "proxy",
    "http",
    "any module",
    "all of handlers",
    "all",
  ]);
  expect([...subscriptions.of("healthy", "")]).toEqual(["any module", "all"]);
  expect([...subscriptions.of("other", "tls")]).toEqual(["proxy", "all"]);
  expect([...subscriptions.of("nope", "tls")]).toEqual(["all"]);
});

test("knows what nobody wants", () => {
  const subscriptions = new Subscriptions<string>();
  subscriptions.add(["a"], ["tls"], "x");
  expect([subscriptions.has("a"), subscriptions.has("b")]).toEqual([true, false]);
  subscriptions.add([""], [], "y");
  expect(subscriptions.has("b")).toBe(true);
});
