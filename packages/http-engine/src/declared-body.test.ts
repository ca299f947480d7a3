import { expect, test } from "vitest";
import { DeclaredBody, fieldsFor } from "./declared-body.ts";

test.each<[string, string, number, number | undefined, boolean, boolean]>([
  ["a body of its length", "GET", 200, 5, false, true],
  ["a body without one", "GET", 200, undefined, false, true],
  ["HEAD leaves it out, and may tell its length", "HEAD", 200, 5, true, true],
  ["HEAD of nothing tells none", "HEAD", 200, 0, true, false],
  ["204 has none", "GET", 204, 0, true, false],
  ["304 has none", "GET", 304, undefined, true, false],
])("%s", (_name, method, status, length, isLeftOut, mayDeclare) => {
  const body = new DeclaredBody();
  expect([body.begin(method, status, length), body.isLeftOut]).toEqual([mayDeclare, isLeftOut]);
});

test("takes as much as was declared, and knows when some is missing", () => {
  const body = new DeclaredBody();
  body.begin("GET", 200, 5);
  expect([body.take(3), body.isShort, body.take(3), body.take(2), body.isShort]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test.each([100, 199, 1000, Number.NaN])("%d is no status of a final response", (status) => {
  expect(() => new DeclaredBody().begin("GET", status, 0)).toThrow("is not that of a final response");
});

test("204 tells no length", () => {
  const fields = ["X-A", "1", "content-Length", "2", "X-B", "2"];
  expect(fieldsFor(204, fields)).toEqual(["X-A", "1", "X-B", "2"]);
  expect(fieldsFor(200, fields)).toBe(fields);
  expect(fields).toHaveLength(6);
});
