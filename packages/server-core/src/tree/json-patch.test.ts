import fc from "fast-check";
import specTests from "json-patch-test-suite/spec_tests.json" with { type: "json" };
import tests from "json-patch-test-suite/tests.json" with { type: "json" };
import { describe, expect, test } from "vitest";
import { ServerError } from "../errors.ts";
import { encodeJson } from "../json/encode-json.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { diffJson } from "./json-diff.ts";
import { applyJsonPatch, maxPatchOperations, parseJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

interface OfficialCase {
  readonly comment?: string;
  readonly doc: JsonValue;
  readonly patch: JsonValue;
  readonly expected?: JsonValue;
  readonly error?: string;
  readonly disabled?: boolean;
}

function officialCases(cases: readonly OfficialCase[]): [string, OfficialCase][] {
  return cases
    .filter((each) => each.patch !== undefined && each.disabled !== true)
    .map((each, position) => [
      `${position} ${each.comment ?? each.error ?? JSON.stringify(each.patch)}`,
      each,
    ]);
}

const patched = (document: JsonValue, patch: JsonValue) => applyJsonPatch(document, parseJsonPatch(patch));

describe.each([
  ["tests", tests as readonly unknown[]],
  ["tests of the specification", specTests as readonly unknown[]],
])("the official test suite, %s", (_name, cases) => {
  test.each(officialCases(cases as readonly OfficialCase[]))("%s", (_, { doc, patch, expected, error }) => {
    const before = encodeJson(doc);
    if (error === undefined) {
      expect(patched(doc, patch)).toEqual(expected ?? doc);
    } else {
      expect(() => patched(doc, patch)).toThrow(ServerError);
    }
    expect(encodeJson(doc)).toBe(before);
  });
});

describe("refuses", () => {
  test.each<[string, JsonValue, JsonValue, string, string]>([
    ["no array", {}, {}, "PATCH_MALFORMED", "a JSON patch is an array of operations"],
    ["a scalar", {}, [1], "PATCH_MALFORMED", "operation 0: an operation is an object"],
    [
      "an op of another kind",
      {},
      [{ op: "toString", path: "" }],
      "PATCH_MALFORMED",
      "op 'toString' is none of",
    ],
    ["a bad escape", {}, [{ op: "remove", path: "/~2" }], "PATCH_MALFORMED", "'~' stands before neither"],
    [
      "an inherited key",
      {},
      [{ op: "remove", path: "/toString" }],
      "PATCH_CONFLICT",
      "key does not exist: toString",
    ],
    [
      "a path below a text",
      { a: "x" },
      [{ op: "add", path: "/a/b", value: 1 }],
      "PATCH_CONFLICT",
      "below a string",
    ],
    [
      "a move into itself",
      { a: {} },
      [{ op: "move", from: "/a", path: "/a/b" }],
      "PATCH_CONFLICT",
      "into itself",
    ],
    [
      "replacing nothing",
      { a: [] },
      [{ op: "replace", path: "/a/0", value: 1 }],
      "PATCH_CONFLICT",
      "out of bounds: 0",
    ],
    [
      "a test that fails",
      { a: 1 },
      [{ op: "test", path: "/a", value: 2 }],
      "PATCH_CONFLICT",
      "(test /a): the test fails",
    ],
  ])("%s", (_, document, patch, code, message) => {
    const apply = () => patched(document, patch);
    expect(apply).toThrow(message);
    expect(apply).toThrow(expect.objectContaining({ code }));
  });

  test("too many operations", () => {
    const patch = Array.from({ length: maxPatchOperations + 1 }, () => ({ op: "test", path: "", value: 1 }));
    expect(() => parseJsonPatch(patch)).toThrow("10001 operations, limit 10000");
  });

  test("a document that doubles with every copy", () => {
    const doubling = Array.from({ length: 60 }, (_, index) => ({ op: "copy", from: "", path: `/${index}` }));
    expect(() => patched({}, doubling)).toThrow("more values than the limit of 1000000");
    const text = { a: "x".repeat(1_000_000) };
    expect(() => patched(text, doubling)).toThrow("more text than the limit");
    let nested: JsonValue = 1;
    for (let level = 0; level < 900; level++) {
      nested = { x: nested };
    }
    const onto = [{ op: "copy", from: "/a", path: `/a${"/x".repeat(900)}` }];
    expect(() => patched({ a: nested }, onto)).toThrow("nested deeper than the limit of 1000 levels");
  });
});

test("__proto__ is a key like any other", () => {
  const result = patched(JSON.parse('{"__proto__": {"a": 1}}'), [
    { op: "add", path: "/__proto__/b", value: 2 },
    { op: "add", path: "/c", value: {} },
    { op: "add", path: "/c/__proto__", value: { d: 1 } },
  ]);
  expect(encodeJson(result)).toBe('{"__proto__":{"a":1,"b":2},"c":{"__proto__":{"d":1}}}');
  expect(({} as Record<string, unknown>).d).toBeUndefined();
});

describe("the difference of two documents", () => {
  const documents = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<JsonValue>;

  test("makes the second of the first", () => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const patch = diffJson(before, after) as unknown as JsonValue;
        expect(encodeJson(patched(before, patch))).toBe(encodeJson(after));
      }),
    );
  });

  test("does so for lists whose elements come, go and change", () => {
    const element = fc.oneof(
      fc.constantFrom<JsonValue>(1, 2, "x"),
      fc.record({ "@id": fc.constantFrom("a", "b", "c"), n: fc.nat(2) }) as fc.Arbitrary<JsonValue>,
    );
    fc.assert(
      fc.property(fc.array(element), fc.array(element), (before, after) => {
        const patch = diffJson({ list: before }, { list: after }) as unknown as JsonValue;
        expect(patched({ list: before }, patch)).toEqual({ list: after });
      }),
    );
  });

  test("knows elements again, by what they say and by their @id", () => {
    const named = (name: string) => ({ name, handle: [1, 2, 3] });
    const [a, b, c, d] = [named("a"), named("b"), named("c"), named("d")];
    expect(diffJson([a, b, c], [d, a, c, b])).toEqual([
      { op: "add", path: "/0", value: d },
      { op: "remove", path: "/2" },
      { op: "add", path: "/3", value: b },
    ]);
    const greeting = { "@id": "greeting", body: "hello" };
    expect(diffJson([greeting], [d, { ...greeting, body: "good day" }])).toEqual([
      { op: "add", path: "/0", value: d },
      { op: "replace", path: "/1/body", value: "good day" },
    ]);
  });

  test("is empty for the same, and small for a small change", () => {
    const routes = Array.from({ length: 100 }, (_, id) => ({ id, to: { a: "b/c" } }));
    expect(diffJson({ routes }, structuredClone({ routes }))).toEqual([]);
    expect(diffJson({ routes }, { routes: routes.toSpliced(50, 1) })).toEqual([
      { op: "remove", path: "/routes/50" },
    ]);
    expect(diffJson({ routes }, { routes: routes.toSpliced(3, 0, { id: 7, to: { a: "" } }) })).toEqual([
      { op: "add", path: "/routes/3", value: { id: 7, to: { a: "" } } },
    ]);
    expect(diffJson({ "a/b": { "~": 1 } }, { "a/b": { "~": 2 } })).toEqual([
      { op: "replace", path: "/a~1b/~0", value: 2 },
    ]);
  });
});

// Source: RFC 7396, appendix A
test.each<[JsonValue, JsonValue, JsonValue]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("merge patch: %j with %j is %j", (target, patch, result) => {
  const before = encodeJson(target);
  expect(applyMergePatch(target, patch)).toEqual(result);
  expect(encodeJson(target)).toBe(before);
  expect(applyMergePatch({}, JSON.parse('{"__proto__":{"x":1}}') as JsonObject)).not.toHaveProperty("x");
});
