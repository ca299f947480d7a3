import fc from "fast-check";
import { expect, test } from "vitest";
import type { PatchOperation } from "../api/json-patch.ts";
import type { JsonValue } from "../api/json-value.ts";
import { applyOperation, applyOperations, PatchMismatch } from "./apply-operation.ts";
import { explainPatch } from "./explain-patch.ts";
import { above, below, lastPart, pointerOfPath, pointerParts, valueAt } from "./json-pointer.ts";

const document: JsonValue = { a: [1, 2, { b: "x" }], "c/d~e": null };

test.each<[string, PatchOperation, JsonValue]>([
  [
    "replaces a member",
    { op: "replace", path: "/a/2/b", value: "y" },
    { a: [1, 2, { b: "y" }], "c/d~e": null },
  ],
  ["inserts", { op: "add", path: "/a/0", value: 0 }, { a: [0, 1, 2, { b: "x" }], "c/d~e": null }],
  ["appends", { op: "add", path: "/a/-", value: 0 }, { a: [1, 2, { b: "x" }, 0], "c/d~e": null }],
  ["adds a member", { op: "add", path: "/z", value: [] }, { ...document, z: [] }],
  ["removes", { op: "remove", path: "/a/1" }, { a: [1, { b: "x" }], "c/d~e": null }],
  ["reads escapes", { op: "replace", path: "/c~1d~0e", value: 1 }, { ...document, "c/d~e": 1 }],
  ["moves", { op: "move", from: "/a/0", path: "/a/2" }, { a: [2, { b: "x" }, 1], "c/d~e": null }],
  ["copies", { op: "copy", from: "/a/2/b", path: "/z" }, { ...document, z: "x" }],
  ["replaces all", { op: "replace", path: "", value: 5 }, 5],
  ["leaves tests to the server", { op: "test", path: "/a", value: 1 }, document],
])("%s", (_, operation, wanted) => {
  expect(applyOperation(document, operation)).toEqual(wanted);
});

test.each<PatchOperation>([
  { op: "replace", path: "/nope", value: 1 },
  { op: "remove", path: "/a/3" },
  { op: "add", path: "/a/4", value: 1 },
  { op: "add", path: "/a/01", value: 1 },
  { op: "replace", path: "/a/-", value: 1 },
  { op: "add", path: "/nope/x", value: 1 },
  { op: "add", path: "/a/0/x", value: 1 },
  { op: "move", from: "/nope", path: "/z" },
  { op: "replace", path: "/toString", value: 1 },
])("does not fit: %j", (operation) => {
  expect(() => applyOperation(document, operation)).toThrow(PatchMismatch);
});

test("what a change does not touch is shared", () => {
  const before: JsonValue = { a: { x: 1 }, b: { y: 1 } };
  const after = applyOperation(before, { op: "replace", path: "/a/x", value: 2 });
  expect(valueAt(after, "/b")).toBe(valueAt(before, "/b"));
  expect(before).toEqual({ a: { x: 1 }, b: { y: 1 } });
});

test("a list of operations is explained with what stood there each time", () => {
  const patch: PatchOperation[] = [
    { op: "remove", path: "/a/0" },
    { op: "replace", path: "/a/0", value: 9 },
    { op: "move", from: "/a/1", path: "/z" },
  ];
  expect(applyOperations(document, patch)).toEqual({ a: [9], "c/d~e": null, z: { b: "x" } });
  expect(explainPatch(document, patch)).toEqual([
    { path: "/a/0", kind: "removed", before: 1, after: undefined },
    { path: "/a/0", kind: "changed", before: 2, after: 9 },
    { path: "/z", kind: "moved", before: { b: "x" }, after: { b: "x" }, from: "/a/1" },
  ]);
});

test("pointers are put together and taken apart, whatever the keys are", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      const pointer = parts.reduce<string>((before, part) => below(before, part), "");
      expect(pointerParts(pointer)).toEqual(parts);
      if (parts.length === 0) {
        return;
      }
      expect(lastPart(pointer)).toBe(parts.at(-1));
      expect(pointerParts(above(pointer))).toEqual(parts.slice(0, -1));
    }),
  );
});

test("members of prototypes are not there", () => {
  expect(valueAt({}, "/constructor")).toBeUndefined();
  expect(valueAt([1], "/length")).toBeUndefined();
});

test.each([
  ["/config", "/"],
  ["/config/", "/"],
  ["/config/apps/http", "/apps/http"],
  ["/config/a~b", "/a~0b"],
])("the admin API's %s is the pointer %s", (path, pointer) => {
  expect(pointerOfPath(path)).toBe(pointer === "/" ? "" : pointer);
});
