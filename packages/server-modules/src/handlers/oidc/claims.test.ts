import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { claimText, keptClaims, unmetRule } from "./claims.ts";
import { safeReturn } from "./oidc-login.ts";

const claims = {
  sub: "ann",
  iss: "x",
  nonce: "y",
  groups: ["a", "b"],
  realm: { roles: ["c"] },
  age: 7,
  ok: true,
};

describe("claims", () => {
  test.each([
    ["sub", "ann"],
    ["groups", "a,b"],
    ["realm.roles", "c"],
    ["realm", '{"roles":["c"]}'],
    ["age", "7"],
    ["ok", "true"],
    ["nothing", ""],
    ["sub.length", ""],
    ["constructor", ""],
    ["__proto__", ""],
  ])("%s is %j as text", (name, text) => {
    expect(claimText(claims, name)).toBe(text);
  });

  test("of the protocol are not kept, those that are wanted are", () => {
    expect(Object.keys(keptClaims(claims, undefined))).toEqual(["sub", "groups", "realm", "age", "ok"]);
    expect(Object.keys(keptClaims(claims, ["age"]))).toEqual(["sub", "age"]);
  });

  test.each([
    ["a*c", "abc", true],
    ["a*c", "ac", true],
    ["a*c", "a", false],
    ["a*a", "a", false],
    ["*b*", "abc", true],
    ["a*b*c", "acb", false],
    ["a.c", "abc", false],
    ["*", "anything", true],
  ])("the pattern %j and the value %j: %j", (pattern, value, expected) => {
    expect(unmetRule({ sub: value }, [{ claim: "sub", values: [pattern] }]) === undefined).toBe(expected);
  });
});

test("whatever was asked for, a browser comes back to the same host", () => {
  const host = "https://host.example";
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webPath(),
        fc.string(),
        fc.string().map((text) => `/${text}`),
        fc.webUrl(),
      ),
      (target) => {
        expect(new URL(safeReturn(target), host).origin).toBe(host);
      },
    ),
  );
  expect(safeReturn("/a?b=c")).toBe("/a?b=c");
  expect([
    safeReturn("//x.example"),
    safeReturn("/\\x"),
    safeReturn("https://x"),
    safeReturn("/\t/x"),
  ]).toEqual(["/", "/", "/", "/"]);
});
