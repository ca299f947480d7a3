import { expect, test } from "vitest";
import { OperationMap } from "./operation-map.ts";

test("counts operations once, whatever their names", () => {
  const map = new OperationMap<number>();
  map.set("a", "x", 1);
  map.set("a", "y", 2);
  map.set("ax", "", 3);
  map.set("a", "x", 4);
  map.set("__proto__", "constructor", 5);
  expect([map.size, map.serviceCount]).toEqual([4, 3]);
  expect(map.get("a", "x")).toBe(4);
  expect(map.get("toString", "x")).toBeUndefined();
  expect([...map.entries()]).toEqual([
    ["a", "x", 4],
    ["a", "y", 2],
    ["ax", "", 3],
    ["__proto__", "constructor", 5],
  ]);
});
