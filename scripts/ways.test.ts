import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { countWays, filesOfWay, grownWays, knownWays, valueImports } from "./ways.mjs";

test.each<[source: string, imports: string[]]>([
  [`import { a } from "./a.ts";`, ["./a.ts"]],
  [`import "./a.ts";`, ["./a.ts"]],
  [`import * as a from "./a.ts";`, ["./a.ts"]],
  [`import { type A, b } from "./a.ts";`, ["./a.ts"]],
  [`import { type A } from "./a.ts";`, []],
  [`import type { A } from "./a.ts";`, []],
  [`export { a } from "./a.ts";`, ["./a.ts"]],
  [`export * from "./a.ts";`, ["./a.ts"]],
  [`export type { A } from "./a.ts";`, []],
  [`export const a = 1;`, []],
  [`const a = await import("./a.ts");`, []],
  [`import { a } from "./a.ts";\nexport { b } from "./a.ts";`, ["./a.ts"]],
])("values of %s", (source, imports) => {
  expect(valueImports("b.ts", source)).toEqual(imports);
});

function packagesOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "ways-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test("a way goes through packages of ours, and tells who imports a file", () => {
  const exports = { ".": "./src/index.ts", "./deep/*": "./src/deep/*.ts" };
  const packages = packagesOf({
    "a/src/start.ts": `import "./next.ts";\nimport "b";\nimport "node:fs";\nimport "zod";\n`,
    "a/src/next.ts": `import "b/deep/c";\nimport "./testing/fake.ts";\n`,
    "b/package.json": JSON.stringify({ exports }),
    "b/src/index.ts": `export * from "./deep/c.ts";\n`,
    "b/src/deep/c.ts": "export const c = 1;\n",
  });
  expect([...filesOfWay(packages, ["a/src/start.ts"])]).toEqual([
    ["a/src/start.ts", []],
    ["a/src/next.ts", ["a/src/start.ts"]],
    ["b/src/index.ts", ["a/src/start.ts"]],
    ["b/src/deep/c.ts", ["a/src/next.ts", "b/src/index.ts"]],
  ]);
});

test("a way that grows is told, one that falls is not", () => {
  expect(grownWays({ span: 3, search: 1 }, { span: 2, search: 2 })).toEqual(["span: 3 files, 2 are known"]);
});

test("no way has more files than are known", () => {
  expect(grownWays(countWays(), knownWays())).toEqual([]);
});
