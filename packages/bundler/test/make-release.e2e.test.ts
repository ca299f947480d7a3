import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeExecutable, NoExecutableError } from "../src/make-executable.ts";
import { makeNpmPackage } from "../src/make-npm-package.ts";
import { readProgram } from "../src/program.ts";
import { isBuilt } from "./built-program.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "make-release-"));
});
afterAll(() => rm(folder, { recursive: true }));

function optionsOf(packageName: string, name = packageName) {
  const packageFolder = new URL(`../../${packageName}/`, import.meta.url);
  return { packageFolder, name, program: readProgram(packageFolder), output: join(folder, packageName) };
}

/** Node makes executables itself from 26 on. */
const canBuild = process.allowedNodeEnvironmentFlags.has("--experimental-vfs");

describe.skipIf(!isBuilt)("releases (skipped where nothing was built)", () => {
  test.skipIf(!canBuild)(
    "the server as one executable file has its command line and its native package",
    async () => {
      const options = optionsOf("admin-server", "server");
      makeExecutable(options);
      expect((await stat(options.output)).mode & 0o100).toBe(0o100);
      const run = async (...args: string[]) =>
        (await promisify(execFile)(options.output, args, { cwd: folder })).stdout;
      expect(await run("version")).toMatch(/^v\d/);
      expect(await run("hash-password", "--plaintext", "secret")).toMatch(/^\$2/);
    },
    120_000,
  );

  test("the engine of storage is too large for an executable", () => {
    expect(() => makeExecutable(optionsOf("tracing-storage"))).toThrow(NoExecutableError);
  });

  test("an npm package has the program and depends on its native package alone", async () => {
    const options = { ...optionsOf("admin-server", "server"), output: join(folder, "npm") };
    makeNpmPackage(options);
    const manifest = JSON.parse(await readFile(join(options.output, "package.json"), "utf8")) as object;
    expect(manifest).toMatchObject({ name: "admin-server", bin: { server: "server.cjs" } });
    expect(manifest).toHaveProperty("dependencies", { "@node-rs/bcrypt": expect.stringMatching(/^\d/) });
    expect(await readFile(join(options.output, "server.cjs"), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(options.output, "server.cjs"),
      "version",
    ]);
    expect(stdout).toMatch(/^v\d/);
  }, 60_000);
});
