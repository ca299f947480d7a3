import { expect, test } from "vitest";
import {
  countFunctions,
  grownCounts,
  knownCounts,
  largeFunctions,
  largeFunctionsOfTree,
} from "./function-sizes.mjs";

const path = "packages/a/src/b.ts";
const lines = (count: number) => "  x();\n".repeat(count);

test.each<[what: string, source: string, counts: object]>([
  ["60 lines", `function f() {\n${lines(58)}}\n`, {}],
  ["61 lines", `function f() {\n${lines(59)}}\n`, { a: { long: 1, wide: 0 } }],
  [
    "a long function in another",
    `const f = () => {\n${lines(10)}  function g() {\n${lines(60)}}\n};\n`,
    { a: { long: 2, wide: 0 } },
  ],
  ["a long method", `class C {\n  m() {\n${lines(60)}}\n}\n`, { a: { long: 1, wide: 0 } }],
  ["four parameters", "function f(a: A, b: B, c: C, d: D) {}", {}],
  ["five parameters", "function f(a: A, b: B, c: C, d: D, e: E) {}", { a: { long: 0, wide: 1 } }],
  [
    "five of a constructor",
    "class C { constructor(a: A, b: B, c: C, d: D, e = 1) {} }",
    { a: { long: 0, wide: 1 } },
  ],
  ["this is none", "function f(this: T, a: A, b: B, c: C, d: D) {}", {}],
  ["an interface has no body", "interface I { f(a: A, b: B, c: C, d: D, e: E): void }", {}],
])("%s", (_, source, counts) => {
  expect(countFunctions(largeFunctions(path, source))).toEqual(counts);
});

test("a count that grows is told, one that falls is not", () => {
  const known = { a: { long: 1, wide: 1 } };
  expect(grownCounts({ a: { long: 2, wide: 0 } }, known)).toEqual(["a: 2 long functions, 1 are known"]);
  expect(grownCounts({ b: { long: 0, wide: 1 } }, known)).toEqual(["b: 1 wide functions, 0 are known"]);
});

test("no package has more large functions than are known", () => {
  const found = largeFunctionsOfTree(new URL("..", import.meta.url));
  expect(found.length).toBeGreaterThan(0);
  expect(grownCounts(countFunctions(found), knownCounts())).toEqual([]);
});
