import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeptParts } from "./kept-parts.ts";

const place = { tableUuid: "abc00000-0000-0000-0000-000000000000", part: "20261101_1_1_0" };
let folder: string;
let hot: string;
let cold: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kept-"));
  const ofTable = ["store", "abc", place.tableUuid, place.part];
  hot = join(folder, "engine", ...ofTable);
  cold = join(folder, "engine", "disks", "cold", ...ofTable);
  mkdirSync(join(hot, "p.proj"), { recursive: true });
  writeFileSync(join(hot, "data.bin"), "rows");
  writeFileSync(join(hot, "p.proj", "data.bin"), "more");
  await parts().keep(place);
});
afterEach(() => rmSync(folder, { recursive: true }));

const parts = () => new KeptParts(folder, join(folder, "engine"));
const left = () => existsSync(join(folder, "moving-parts"));

function name(file: string, text: string): void {
  mkdirSync(join(cold, file, ".."), { recursive: true });
  writeFileSync(join(cold, file), text);
}

test("a part whose move had not begun stays", () => {
  expect([parts().recover(), readdirSync(hot).length, left()]).toEqual([[], 2, false]);
});

test("a part that is whole in the bucket stays there", () => {
  name("data.bin", "3\n");
  name("p.proj/data.bin", "3\n");
  rmSync(hot, { recursive: true });
  expect([parts().recover(), existsSync(hot), existsSync(cold), left()]).toEqual([[], false, true, false]);
});

test.each([
  ["is missing", ""],
  ["is empty", "empty"],
  ["is zeros", "zeros"],
])("a part of which a name in the bucket %s is put back", (_, state) => {
  name("data.bin", "3\n");
  if (state !== "") {
    name("p.proj/data.bin", state === "empty" ? "" : "\0\0");
  }
  rmSync(hot, { recursive: true });
  expect(parts().recover()).toEqual([place]);
  expect(readFileSync(join(hot, "p.proj", "data.bin"), "utf8")).toBe("more");
  expect([existsSync(cold), left()]).toEqual([false, false]);
});

test("a settled part leaves nothing behind", async () => {
  name("data.bin", "3\n");
  await parts().settle(place);
  expect(readdirSync(join(folder, "moving-parts", place.tableUuid))).toEqual([]);
});

test("a part of a table that was dropped is not put back", () => {
  rmSync(join(folder, "engine", "store"), { recursive: true });
  expect([parts().recover(), existsSync(hot)]).toEqual([[], false]);
});
