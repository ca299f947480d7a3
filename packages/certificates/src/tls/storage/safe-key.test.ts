import fc from "fast-check";
import { expect, test } from "vitest";
import { safeKeyPart } from "./safe-key.ts";

test.each([
  ["Example.COM", "example.com"],
  ["*.example.com", "wildcard_.example.com"],
  ["127.0.0.1:14000-dir", "127.0.0.1-14000-dir"],
  ["me+web@a.test ", "me_plus_web@a.test"],
  ["../../etc/passwd", "etcpasswd"],
  ["2001:db8::1", "2001-db8--1"],
])("%j becomes %j, as with the public model", (name, part) => {
  expect(safeKeyPart(name)).toBe(part);
});

test("whatever the name, it is one part of a key", () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      expect(safeKeyPart(name)).toMatch(/^[\w@.-]*$/);
    }),
  );
});
