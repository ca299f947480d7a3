import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtOnce } from "./built-once.ts";

let folder: string;
const made = new Set<string>();
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "built-once-"));
  await mkdir(path.join(folder, "src/deep"), { recursive: true });
  await writeFile(path.join(folder, "src/deep/a.ts"), "one");
});
afterEach(async () => {
  for (const one of [folder, ...made]) {
    await rm(one, { recursive: true, force: true });
  }
  made.clear();
});

/** Builds from the sources. @returns the result, and the number of builds so far */
async function run(builds: string[]): Promise<string> {
  const found = await builtOnce("built-once-test", [folder], async (into) => {
    const text = await readFile(path.join(folder, "src/deep/a.ts"), "utf8");
    builds.push(text);
    await writeFile(path.join(into, "out.txt"), `built of ${text}`);
  });
  made.add(found);
  return readFile(path.join(found, "out.txt"), "utf8");
}

test("the same sources are built once, also by two at a time; other sources anew", async () => {
  const builds: string[] = [];
  expect(await Promise.all([run(builds), run(builds)])).toEqual(["built of one", "built of one"]);
  const before = builds.length;
  expect(await run(builds)).toBe("built of one");
  expect(builds.length).toBe(before);
  expect(made.size).toBe(1);
  await writeFile(path.join(folder, "src/deep/a.ts"), "two");
  expect(await run(builds)).toBe("built of two");
});

test("a build that fails leaves nothing that is taken for one", async () => {
  const sources = [path.join(folder, "src/deep/a.ts")];
  const fails = builtOnce("built-once-test", sources, async (into) => {
    await writeFile(path.join(into, "half.txt"), "");
    throw new Error("no room");
  });
  await expect(fails).rejects.toThrow("no room");
  const builds: string[] = [];
  expect(await run(builds)).toBe("built of one");
});
