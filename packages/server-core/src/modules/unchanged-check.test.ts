import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { configDuration, inlineModule, moduleMap, notYet } from "./config-fields.ts";
import { unchangedCheck } from "./unchanged-check.ts";

const tree: z.ZodType = z.strictObject({
  name: z.string(),
  get below() {
    return z.array(tree).nullish();
  },
});

const route = z.strictObject({
  group: z.string().nullish(),
  match: z.array(moduleMap("http.matchers")).nullish(),
  handle: z.array(inlineModule("http.handlers", "handler")).nullish(),
  terminal: z.boolean().nullish(),
  timeout: configDuration().nullish(),
  count: z.int().min(1).optional(),
  kind: z.union([z.literal("a"), z.literal("b")]).optional(),
  later: notYet(),
});

describe("takes as it is", () => {
  test.each<[string, z.ZodType, unknown]>([
    ["a route", route, { match: [{ host: ["a"] }], handle: [{ handler: "x", deep: [1] }], terminal: null }],
    ["numbers and unions within limits", route, { count: 3, kind: "b" }],
    ["what refers to itself", tree, { name: "a", below: [{ name: "b", below: null }] }],
    ["members of a loose object", z.looseObject({ a: z.string() }), { a: "", b: [1] }],
    ["a record", z.record(z.string(), z.array(z.string()).nullable()), { a: ["b"], c: null }],
  ])("%s", (_, schema, value) => {
    expect(unchangedCheck(schema)(value)).toBe(true);
    expect(schema.parse(value)).toEqual(value);
  });
});

describe("leaves to the schema", () => {
  test.each<[string, z.ZodType, unknown]>([
    ["an unknown member", route, { bogus: 1 }],
    ["a wrong type", route, { match: [{}, 1] }],
    ["a number out of its limits", route, { count: 0 }],
    ["what is transformed", route, { timeout: "5s" }],
    ["a member that is missing", tree, { below: [] }],
    ["a default", z.strictObject({ a: z.string().default("x") }), {}],
    ["an optional default", z.strictObject({ a: z.string().default("x").optional() }), {}],
    ["members that would be dropped", z.object({ a: z.string().optional() }), { b: 1 }],
    ["a text of a format", z.strictObject({ a: z.url() }), { a: "x" }],
    ["a refinement", z.strictObject({ a: z.string().refine((text) => text === "y") }), { a: "x" }],
    ["a refinement of the whole", z.strictObject({}).refine(() => false), {}],
    ["an array with a limit", z.array(z.string()).max(1), ["a", "b"]],
    ["an array for an object", route, []],
  ])("%s", (_, schema, value) => {
    expect(unchangedCheck(schema)(value)).toBe(false);
  });
});

test("what it takes, the schema takes and does not change", () => {
  const member = fc.oneof(
    fc.constantFrom<unknown>(null, true, "a", "b", "5s", 0, 1, 1.5, -1, [], {}, [{}], ["a"], [null]),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const keys = ["group", "match", "handle", "terminal", "timeout", "count", "kind", "later", "x"];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), member, { noNullPrototype: true }), (value) => {
      fc.pre(unchangedCheck(route)(value));
      expect(route.parse(value)).toEqual(value);
    }),
  );
});

test("of a long list, what another one did not have at that place is looked at", () => {
  const check = unchangedCheck(z.array(route));
  const routes = Array.from({ length: 20 }, (_, index) => ({ group: `g${index}` }));
  expect(check(routes)).toBe(true);
  expect(check(routes.with(7, { group: "new" }))).toBe(true);
  const bad: unknown[] = [...routes];
  expect(check(bad.with(7, { group: 1 }))).toBe(false);
  expect(check(bad.with(7, { group: 1 }))).toBe(false);
  expect(check([...bad, { bad: true }])).toBe(false);
  expect(check(bad.toSpliced(3, 0, { bad: true }))).toBe(false);
});
