import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homeVariables, temporaryFolderVariables } from "./home-folder.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "home-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a home that can be written to is left alone", () => {
  expect(homeVariables(join(folder, "toolchain"), { npm_config_cache: "/elsewhere" }, folder)).toEqual({});
});

test("where nothing can be written to, nothing is moved", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(homeVariables(join(file, "toolchain"), {}, join(folder, "nobody"))).toEqual({});
});

test("without a home that can be written to, caches go to the toolchain and another cache stays", () => {
  const home = join(folder, "nobody");
  const own = join(folder, "toolchain", "home");
  expect(homeVariables(join(folder, "toolchain"), { npm_config_cache: join(home, ".npm") }, home)).toEqual({
    HOME: own,
    npm_config_cache: join(own, ".npm"),
  });
  expect(statSync(own).isDirectory()).toBe(true);
  expect(homeVariables(join(folder, "toolchain"), { npm_config_cache: "/elsewhere" }, home)).toEqual({
    HOME: own,
  });
});

test("temporary files go to the toolchain where their folder is away, if anything can be written to", () => {
  const toolchain = join(folder, "toolchain");
  expect(temporaryFolderVariables(toolchain, folder)).toEqual({});
  const own = join(toolchain, "tmp");
  expect(temporaryFolderVariables(toolchain, join(folder, "away"))).toEqual({
    TMPDIR: own,
    TMP: own,
    TEMP: own,
  });
  expect(statSync(own).isDirectory()).toBe(true);
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(temporaryFolderVariables(join(file, "toolchain"), join(folder, "away"))).toEqual({});
});
