import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Autosave, autosavePath } from "./autosave.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "autosave-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  [{ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "/x/server/autosave.json"],
  [{ HOME: "/h" }, "/h/.config/server/autosave.json"],
  [{ XDG_CONFIG_HOME: "", HOME: "/h" }, "/h/.config/server/autosave.json"],
])("lies at the place that %j says", (environment, path) => {
  expect(autosavePath(environment)).toBe(path);
});

test("is replaced as a whole, for its owner alone", async () => {
  const autosave = new Autosave(join(folder, "a", "autosave.json"));
  expect(await autosave.read()).toBeUndefined();
  await autosave.write('{"long":"text"}');
  await autosave.write("{}");
  expect(await readFile(autosave.path, "utf8")).toBe("{}");
  expect((await stat(autosave.path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "a"))).toEqual(["autosave.json"]);
});
