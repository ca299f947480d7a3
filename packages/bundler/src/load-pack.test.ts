import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundleProgram } from "./bundle-program.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "load-pack-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Builds a program of these files; main.ts is the first. */
async function build(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries({ "package.json": "{}", ...files })) {
    await writeFile(join(folder, name), text);
  }
  await bundleProgram({
    packageFolder: pathToFileURL(`${folder}/`),
    name: "program",
    main: "main.ts",
    isProcess: false,
    start: { files: Object.keys(files) },
  });
}

const run = () => execFileSync(process.execPath, [join(folder, "dist/program.cjs")], { encoding: "utf8" });

const keptFolder = () => join(folder, "dist/.compile-cache");

async function keptFiles(): Promise<string[]> {
  const names = await readdir(keptFolder());
  return names.filter((name) => name.startsWith("program-start-")).map((name) => join(keptFolder(), name));
}

/** Two files that import each other. The start sets an option of V8, after which V8 refuses code compiled before. */
const twoFiles = {
  "main.ts": `import { setFlagsFromString } from "node:v8";
import { double } from "./double.ts";
setFlagsFromString("--no-opt");
export const two = () => 2;
setImmediate(() => process.stdout.write(String(double(two()))));`,
  "double.ts": `import { two } from "./main.ts";
export const double = (value: number) => value * two();`,
};

test("a start keeps the code that it compiled, and the next one takes it", async () => {
  await build(twoFiles);
  expect(run()).toBe("4");
  const [kept = "", ...more] = await keptFiles();
  expect(more).toEqual([]);
  const { ino, size } = await stat(kept);
  expect(size).toBeGreaterThan(1000);
  expect(run()).toBe("4");
  // Code that V8 refuses is compiled again, and written to a new file.
  expect([await keptFiles(), (await stat(kept)).ino]).toEqual([[kept], ino]);
});

test("code that was kept in part is compiled and kept anew", async () => {
  await build(twoFiles);
  run();
  const [kept = ""] = await keptFiles();
  const { size } = await stat(kept);
  await truncate(kept, size >> 1);
  expect(run()).toBe("4");
  expect((await stat(kept)).size).toBeGreaterThan(size >> 1);
});

test("code of another text has another name, also where the texts are equally long", async () => {
  await build(twoFiles);
  run();
  const before = await keptFiles();
  await build({ ...twoFiles, "double.ts": twoFiles["double.ts"].replace("value * two()", "value - two()") });
  expect(run()).toBe("0");
  expect(await keptFiles()).not.toEqual(before);
});

test("a program runs where nothing can be kept", async () => {
  await build(twoFiles);
  await writeFile(keptFolder(), "");
  expect([run(), run()]).toEqual(["4", "4"]);
});

test("a file that failed to load fails again, and others can still be loaded", async () => {
  await build({
    "main.ts": `let tries = 0;
const load = () => import("./failing.ts").catch((error: Error) => { tries++; return error.message; });
void load().then(load).then((text) => process.stdout.write(text + tries));`,
    "failing.ts": `export const never = 1;
if (process.argv.length > 0) throw new Error("no ");`,
  });
  expect(run()).toBe("no 2");
});
