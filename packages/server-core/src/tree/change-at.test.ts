import { expect, test } from "vitest";
import type { JsonValue } from "../json/json-value.ts";
import { type ChangeMethod, changeAt } from "./change-at.ts";
import { readAt } from "./read-at.ts";
import { type ConfigTree, parseTreePath } from "./tree-path.ts";

const arrays = new Set(["config/list", "config/deep/list"]);

function change(config: JsonValue, method: ChangeMethod, path: string, value: JsonValue = null): JsonValue {
  const wantsArray = (segments: readonly string[]) => arrays.has(segments.join("/"));
  return changeAt({ config }, { method, path: parseTreePath(path), value, wantsArray }).config;
}

test.each<[string, JsonValue, ChangeMethod, string, JsonValue, JsonValue]>([
  ["appends to an array", { a: [1] }, "POST", "/config/a", 2, { a: [1, 2] }],
  ["appends an array as one element", { a: [1] }, "POST", "/config/a", [2], { a: [1, [2]] }],
  ["appends the elements of an array", { a: [1] }, "POST", "/config/a/...", [2, 3], { a: [1, 2, 3] }],
  ["does not count the index of a POST", { a: [1] }, "POST", "/config/a/7", 2, { a: [1, 2] }],
  ["creates a key", {}, "POST", "/config/a", { b: 1 }, { a: { b: 1 } }],
  ["replaces a key", { a: 1 }, "POST", "/config/a/", 2, { a: 2 }],
  ["replaces the whole", { a: 1 }, "POST", "/config/", [], []],
  ["inserts before an element", { a: [1, 3] }, "PUT", "/config/a/1", 2, { a: [1, 2, 3] }],
  ["inserts at the end", { a: [1] }, "PUT", "/config/a/1", 2, { a: [1, 2] }],
  ["creates missing parents", {}, "PUT", "/config/a/b/c", 1, { a: { b: { c: 1 } } }],
  ["creates a missing array by its schema", {}, "PUT", "/config/list/0", 1, { list: [1] }],
  [
    "creates a missing array below missing parents",
    {},
    "PUT",
    "/config/deep/list/0",
    1,
    { deep: { list: [1] } },
  ],
  ["appends to an absent array by its schema", {}, "POST", "/config/list", { x: 1 }, { list: [{ x: 1 }] }],
  ["appends to a null array by its schema", { list: null }, "POST", "/config/list", 1, { list: [1] }],
  ["appends several to an absent array", {}, "POST", "/config/list/...", [1, 2], { list: [1, 2] }],
  ["takes an array for an absent array", {}, "POST", "/config/list", [1], { list: [1] }],
  ["loads the first config by PUT", null, "PUT", "/config/", { a: 1 }, { a: 1 }],
  ["replaces an element", { a: [1, 2] }, "PATCH", "/config/a/1", 3, { a: [1, 3] }],
  ["replaces inside an element", { a: [{ b: 1 }] }, "PATCH", "/config/a/0/b", 2, { a: [{ b: 2 }] }],
  ["replaces in an array in an array", { a: [[1, 2]] }, "PATCH", "/config/a/0/1", 3, { a: [[1, 3]] }],
  ["removes a key", { a: 1, b: 2 }, "DELETE", "/config/a", null, { b: 2 }],
  ["removes an element", { a: [1, 2, 3] }, "DELETE", "/config/a/1", null, { a: [1, 3] }],
  ["removes all", { a: 1 }, "DELETE", "/config/", null, null],
  ["removes nothing from nothing", null, "DELETE", "/config/", null, null],
])("%s", (_, config, method, path, value, expected) => {
  expect(change(config, method, path, value)).toEqual(expected);
});

test.each<[string, JsonValue, ChangeMethod, string, string]>([
  ["an absent parent", {}, "POST", "/config/a/b/c", "invalid traversal path at: config/a/b"],
  ["a scalar parent", { a: 1 }, "DELETE", "/config/a/b", "invalid traversal path at: config/a/b"],
  ["another root", {}, "POST", "/other/a", "invalid traversal path at: other"],
  ["no segment", {}, "POST", "//", "no traversable path"],
  [
    "an inherited member",
    {},
    "PATCH",
    "/config/constructor",
    "[/config/constructor] key does not exist: constructor",
  ],
  ["an existing key", { a: null }, "PUT", "/config/a", "[/config/a] key already exists: a"],
  ["an existing config", { a: 1 }, "PUT", "/config/", "[/config/] key already exists: config"],
  ["a missing key", {}, "DELETE", "/config/a", "[/config/a] key does not exist: a"],
  ["an index past the end", { a: [1] }, "PATCH", "/config/a/1", "[/config/a/1] array index out of bounds: 1"],
  ["an insert past the end", { a: [1] }, "PUT", "/config/a/2", "[/config/a/2] array index out of bounds: 2"],
  ["a negative index", { a: [1] }, "DELETE", "/config/a/-1", "[/config/a/-1] array index out of bounds: -1"],
  [
    "an index with a zero",
    { a: [1] },
    "PATCH",
    "/config/a/01",
    "[/config/a/01] invalid array index '01': non-canonical array index",
  ],
  [
    "an index on the way",
    { a: [1] },
    "PATCH",
    "/config/a/x/y",
    "[/config/a/x] invalid array index 'x': strconv.Atoi: parsing \"x\": invalid syntax",
  ],
  ["/... with no array to append", { a: [1] }, "POST", "/config/a/...", "final element is not an array"],
  ["/... after an object", { a: {} }, "POST", "/config/a/...", "is not an array"],
])("refuses %s", (_, config, method, path, message) => {
  expect(() => change(config, method, path)).toThrow(message);
});

test("changes nothing in place and shares what it does not touch", () => {
  const config = { a: { x: [1] }, b: { y: 1 } };
  const before = structuredClone(config);
  const after = change(config, "POST", "/config/a/x", 2) as typeof config;
  expect(config).toEqual(before);
  expect(after.b).toBe(config.b);
});

test("a key named __proto__ changes no prototype", () => {
  const after = change({}, "PUT", "/config/__proto__/polluted", true);
  expect(Object.hasOwn(after as object, "__proto__")).toBe(true);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each<[string, JsonValue]>([
  ["/config/", { a: [{ b: 1 }] }],
  ["/config/a/0/b", 1],
  ["config/a/0", { b: 1 }],
  ["/config/absent", null],
  ["/config/toString", null],
])("reads %s", (path, expected) => {
  const tree: ConfigTree = { config: { a: [{ b: 1 }] } };
  expect(readAt(tree, parseTreePath(path))).toEqual(expected);
});
