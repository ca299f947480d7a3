import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cyclesOfTree, folderCycles } from "./folder-cycles.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

test.each<[what: string, files: Record<string, string>, cycles: string[]]>([
  [
    "two folders that import each other by different files",
    {
      "a/one.ts": 'import { x } from "../b/two.ts";',
      "b/three.ts": 'import type { y } from "../a/four.ts";',
    },
    [".: a, b"],
  ],
  [
    "a file beside a folder",
    { "one.ts": 'export { x } from "./b/two.ts";', "b/three.ts": 'const y = import("../one.ts");' },
    [".: b, one.ts"],
  ],
  [
    "folders inside a folder",
    { "a/b/one.ts": 'import "../c/two.ts";', "a/c/three.ts": 'import {\n  z,\n} from "../b/four.ts";' },
    ["a: b, c"],
  ],
  ["one direction", { "a/one.ts": 'import "../b/two.ts";', "b/two.ts": 'import "node:fs";' }, []],
  ["files of one folder", { "a/one.ts": 'import "./two.ts";', "a/two.ts": 'import "./one.ts";' }, []],
])("%s", (_, files, cycles) => {
  expect(folderCycles(new Map(Object.entries(files)))).toEqual(cycles);
});

test("no package has a cycle of folders", () => {
  expect(cyclesOfTree(root)).toEqual([]);
});
