import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exportedNames } from "./exported-names.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "exported-names-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function namesOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const paths = Object.entries(files).map(([name, text]) => [join(folder, name), text] as const);
  for (const [path, text] of paths) {
    await writeFile(path, text);
  }
  return exportedNames(paths[0]?.[0] ?? "").sort();
}

const fails = `throw new Error("a native package of another platform");`;

test("names are read from a CommonJS file that does not load", async () => {
  const files = {
    "index.js": `const native = require("./binding.node"); exports.hash = native.hash;
      Object.defineProperty(exports, "__esModule", { value: true }); module.exports.verify = 1;
      __exportStar(require("./more.js"), exports);`,
    "more.js": `${fails} exports.more = 1;`,
  };
  expect(await namesOf(files)).toEqual(["hash", "more", "verify"]);
});

test("names are read from ES modules that do not load, without types and names of others' defaults", async () => {
  const files = {
    "index.ts": `${fails}
      export interface Shape { readonly a: string }
      export type Name = string;
      export const one = 1, { two, ...three } = {};
      export function four(): void {}
      export class Five {}
      export { more as six } from "./more.mjs";
      export * from "./more.mjs";
      export * as seven from "./more.mjs";
      export default 1;`,
    "more.mjs": `${fails} export default 1; export const more = 1; export * from "./index.ts";`,
  };
  expect(await namesOf(files)).toEqual(
    ["Five", "default", "four", "more", "one", "seven", "six", "three", "two"].sort(),
  );
});

test("a part of Node has its names", () => {
  expect(exportedNames("node:zlib")).toEqual(expect.arrayContaining(["gzip", "createGzip"]));
});

test("a module without names fails the build", async () => {
  await expect(namesOf({ "index.js": "module.exports = load();" })).rejects.toThrow(
    /no exported names found in .*index\.js/,
  );
});
