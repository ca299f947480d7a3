import { expect, test } from "vitest";
import { z } from "zod";
import { defineModule } from "./module.ts";
import { ModuleRegistry } from "./module-registry.ts";

const module = (id: string) => defineModule({ id, config: z.strictObject({}), provision: () => ({}) });

test("a duplicate id throws", () => {
  expect(() => new ModuleRegistry([module("a.b"), module("a.b")])).toThrow("module a.b is listed twice");
});

test("finds by namespace and name", () => {
  const registry = new ModuleRegistry([module("http"), module("http.handlers.x")]);
  expect(registry.get({ prefix: "http.handlers" }, "x").id).toBe("http.handlers.x");
  expect(registry.get({ prefix: "" }, "http").id).toBe("http");
  expect(registry.names({ prefix: "http.handlers" })).toEqual(["x"]);
});

test.each([
  ["http.handlers", "nope", "unknown module: http.handlers.nope"],
  ["", "nope", "unknown module: nope"],
  ["", "http.handlers.x", "unknown module: http.handlers.x"],
])("namespace %j has no %s", (prefix, name, message) => {
  const registry = new ModuleRegistry([module("http"), module("http.handlers.x")]);
  expect(() => registry.get({ prefix }, name)).toThrow(message);
});
