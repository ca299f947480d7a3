import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeExecutable } from "../src/make-executable.ts";
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

/** True when this Node can make executables, from version 26 on. */
const canBuild = process.allowedNodeEnvironmentFlags.has("--experimental-vfs");

describe.skipIf(!isBuilt)("releases (skipped where nothing was built)", () => {
  test.skipIf(!canBuild)(
    "the server as one executable file has its command line",
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

  test.skipIf(!canBuild)(
    "storage as an executable finds its engine, half a gigabyte, beside it",
    async () => {
      const output = join(folder, "storage", "tracing-storage");
      await mkdir(dirname(output));
      makeExecutable({ ...optionsOf("tracing-storage"), output });
      const [http = "", admin = ""] = await freeAddresses(2);
      const child = spawn(
        output,
        [
          ...["--storage.data-dir", join(folder, "data"), "--storage.http.host-port", http],
          ...["--grpc.host-port", "127.0.0.1:0", "--admin.http.host-port", admin],
        ],
        { cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
      );
      let log = "";
      child.stderr.on("data", (chunk: Buffer) => {
        log += chunk.toString();
      });
      const ended = once(child, "exit");
      try {
        await vi.waitFor(
          async () => {
            expect(child.exitCode, log).toBeNull();
            const answer = await fetch(`http://${http}/`, { method: "POST", body: "SELECT 6 * 7" });
            expect(await answer.text()).toBe("42\n");
          },
          { timeout: 120_000, interval: 200 },
        );
        // For each error the engine reads the symbols of the executable.
        const mistake = await fetch(`http://${http}/`, {
          method: "POST",
          body: "SELECT nothing_of_that_name",
        });
        expect(await mistake.text()).toContain("UNKNOWN_IDENTIFIER");
      } finally {
        child.kill("SIGTERM");
        await ended;
      }
    },
    180_000,
  );

  test("an npm package has the program and depends on nothing", async () => {
    const options = { ...optionsOf("admin-server", "server"), output: join(folder, "npm") };
    makeNpmPackage(options);
    const manifest = JSON.parse(await readFile(join(options.output, "package.json"), "utf8")) as object;
    expect(manifest).toMatchObject({ name: "admin-server", bin: { server: "server.cjs" } });
    expect(manifest).toHaveProperty("dependencies", {});
    expect(await readFile(join(options.output, "server.cjs"), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(options.output, "server.cjs"),
      "version",
    ]);
    expect(stdout).toMatch(/^v\d/);
  });
});
