import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
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
  expect(await autosave.read()).toEqual({ text: Buffer.from("{}"), checksum: "right" });
  expect(JSON.parse(await readFile(autosave.path, "utf8"))).toEqual({});
  expect((await stat(autosave.path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "a"))).toEqual(["autosave.json"]);
});

test("begins before the text is there, and leaves nothing of one that never comes, nor of one that is not wanted", async () => {
  const autosave = new Autosave(join(folder, "b", "autosave.json"));
  await autosave.write("1");
  await writeFile(`${autosave.path}.${process.pid}.tmp`, "of a process that was killed");
  const coming = Promise.withResolvers<Uint8Array>();
  const staging = autosave.stage(coming.promise);
  coming.resolve(Buffer.from("2"));
  await (await staging).discard();
  await expect(autosave.stage(Promise.reject(new Error("nested too deep")))).rejects.toThrow(
    "nested too deep",
  );
  expect(await readdir(join(folder, "b"))).toEqual(["autosave.json"]);
  expect(String((await autosave.read())?.text)).toBe("1");
});

test.each(["stage", "read"] as const)(
  "%s removes what killed processes left, and nothing else",
  async (begin) => {
    const path = join(folder, begin, "autosave.json");
    await new Autosave(path).write("1");
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    const others = [
      "autosave.json.1.tmp",
      `autosave.json.${process.ppid}.tmp`,
      "autosave.json.x.tmp",
      "other.4.tmp",
    ];
    for (const name of [...others, `autosave.json.${ended}.tmp`, "autosave.json.4194304999.tmp"]) {
      await writeFile(join(folder, begin, name), "{");
    }
    const autosave = new Autosave(path);
    await (begin === "read" ? autosave.read() : autosave.write("2"));
    expect((await readdir(join(folder, begin))).sort()).toEqual(["autosave.json", ...others].sort());
  },
);
