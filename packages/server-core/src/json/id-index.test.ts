import { expect, test } from "vitest";
import { indexIds, withoutIds } from "./id-index.ts";
import type { JsonValue } from "./json-value.ts";

test("finds ids at any depth, strings and numbers", () => {
  const index = indexIds({ "@id": "root", a: [{ "@id": 7 }, { b: { "@id": "deep" } }] });
  expect(Object.fromEntries(index)).toEqual({ root: "/config", "7": "/config/a/0", deep: "/config/a/1/b" });
});

test.each<[JsonValue, string]>([
  [{ a: { "@id": true } }, "indexing config: /config/a: @id field must be a string or number"],
  [[{ "@id": "d" }, { "@id": "d" }], "indexing config: duplicate ID 'd' found at /config/0 and /config/1"],
])("refuses %j", (document, message) => {
  expect(() => indexIds(document)).toThrow(message);
});

test("removes ids, and leaves what has none as the same object", () => {
  const plain = { x: [1, { y: 2 }] };
  const document = { "@id": "a", plain, list: [{ "@id": 1, z: 1 }] };
  const stripped = withoutIds(document) as Record<string, unknown>;
  expect(stripped).toEqual({ plain, list: [{ z: 1 }] });
  expect(stripped.plain).toBe(plain);
  expect(withoutIds(plain)).toBe(plain);
});
