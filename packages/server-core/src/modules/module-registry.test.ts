import { expect, test, vi } from "vitest";
import { z } from "zod";
import { defineModule, listed } from "./module.ts";
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

test("a listed module is loaded when it is looked up, once", () => {
  const load = vi.fn(() => module("a.b"));
  const registry = new ModuleRegistry([listed("a.b", load), module("c")]);
  expect(registry.names({ prefix: "a" })).toEqual(["b"]);
  expect(registry.listed.map(({ id }) => id)).toEqual(["a.b", "c"]);
  expect(load).toHaveBeenCalledTimes(0);
  expect(registry.find({ prefix: "a" }, "b")).toBe(registry.modules[0]);
  expect(load).toHaveBeenCalledTimes(1);
});

test("a list that says something else of a module than itself is refused", () => {
  const registry = new ModuleRegistry([listed("a", () => module("a"), { inWorkers: true })]);
  expect(() => registry.find({ prefix: "" }, "a")).toThrow("module a is not what the list says of a");
});
