import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sideFiles } from "./side-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "side-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function bundle(code: string, names: ReadonlyMap<string, string> = new Map()): Promise<string> {
  await writeFile(join(folder, "main.ts"), code);
  const built = await rolldown({
    input: join(folder, "main.ts"),
    platform: "node",
    plugins: [sideFiles(join(folder, "dist"), names)],
  });
  const { output } = await built.generate({ format: "esm" });
  await built.close();
  return output[0].code;
}

test("a file that code names lies beside the program", async () => {
  await writeFile(join(folder, "data.txt"), "data");
  expect(await bundle(`export const url = new URL("./data.txt", import.meta.url);`)).toContain(
    `new URL("./data.txt", import.meta.url)`,
  );
  expect(await readFile(join(folder, "dist", "data.txt"), "utf8")).toBe("data");
});

test("by the name that the build gives it", async () => {
  await writeFile(join(folder, "data.txt"), "data");
  const names = new Map([[join(folder, "data.txt"), "other.txt"]]);
  expect(await bundle(`export const url = new URL("./data.txt", import.meta.url);`, names)).toContain(
    `"./other.txt"`,
  );
  expect(await readFile(join(folder, "dist", "other.txt"), "utf8")).toBe("data");
});

test("code that code names is JavaScript by then", async () => {
  expect(await bundle(`export const url = new URL("./worker.ts", import.meta.url);`)).toContain(
    `"./worker.cjs"`,
  );
});

test("a file that is not there fails the build", async () => {
  await expect(bundle(`export const url = new URL("./gone.txt", import.meta.url);`)).rejects.toThrow(
    "gone.txt, which is not there",
  );
});
