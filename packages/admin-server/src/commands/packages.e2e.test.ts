import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

// Each command starts npm.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const hasNpm = spawnSync("npm", ["--version"], { shell: process.platform === "win32" }).status === 0;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-packages-"));
  await writePackage("greet", "1.0.0", moduleText("hello"));
  await writePackage("empty", "1.0.0", "export default 1;");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function moduleText(text: string): string {
  return `import { defineModule, z } from "admin-server/module";
export default defineModule({
  id: "http.handlers.greet",
  config: z.strictObject({}),
  provision: () => ({ handle: (exchange) => exchange.respond(200, "${text}") }),
});`;
}

/** A package in a folder. Its install script would create a file if it ran; its peer dependency is in no registry. */
async function writePackage(name: string, version: string, text: string): Promise<void> {
  const at = join(folder, "sources", name);
  await mkdir(at, { recursive: true });
  const manifest = {
    ...{ name, version, type: "module", exports: "./main.js" },
    peerDependencies: { "admin-server": "*" },
    scripts: { postinstall: `node -e "require('fs').writeFileSync('${folder}/script-ran','')"` },
  };
  await writeFile(join(at, "package.json"), JSON.stringify(manifest));
  await writeFile(join(at, "main.js"), text);
}

async function run(...args: string[]) {
  const command = new ServerProcess(args, { XDG_CONFIG_HOME: folder }, folder);
  command.child.stdin?.end();
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

const packages = () => join(folder, "data", "server", "packages");
const folders = async () =>
  (await readdir(join(packages(), ".."))).filter((name) => name.startsWith("packages")).sort();
const own = async () =>
  (await run("list-modules", "--skip-standard", "--packages", "--versions")).stdout.split("\n")[0];

describe.skipIf(!hasNpm)("packages (needs npm)", () => {
  test("a package is added, used by a config that names it, upgraded and removed", async () => {
    const added = await run("add-package", "./sources/greet");
    expect([added.code, added.stderr]).toEqual([0, ""]);
    expect(added.stdout).toBe(
      'greet 1.0.0: http.handlers.greet\n  JSON: "modules": ["greet"]   serverfile: { modules greet }\n',
    );
    expect(await own()).toBe("http.handlers.greet 1.0.0 greet");
    expect(existsSync(join(folder, "script-ran"))).toBe(false);
    expect(
      JSON.parse(await readFile(join(packages(), "package-lock.json"), "utf8")).lockfileVersion,
    ).toBeGreaterThan(1);

    const config = {
      modules: ["greet"],
      apps: {
        http: { servers: { s: { listen: ["127.0.0.1:0"], routes: [{ handle: [{ handler: "greet" }] }] } } },
      },
    };
    await writeFile(join(folder, "site.json"), JSON.stringify(config));
    const server = new ServerProcess(
      ["run", "--workers", "1", "--config", "site.json"],
      { XDG_CONFIG_HOME: folder, SERVER_ADMIN: "127.0.0.1:0" },
      folder,
    );
    try {
      expect((await ask(await server.site())).text).toBe("hello");
    } finally {
      server.child.kill("SIGTERM");
      await server.exit;
    }

    await writePackage("greet", "1.1.0", moduleText("good morning"));
    const upgraded = await run("upgrade", "--keep-backup");
    expect([upgraded.code, upgraded.stdout, upgraded.stderr]).toEqual([0, "greet 1.1.0\n", ""]);
    expect(await folders()).toEqual(["packages", "packages.bak"]);

    const removed = await run("remove-package", "greet");
    expect([removed.code, removed.stderr]).toEqual([0, ""]);
    expect(await own()).toBe("");
    expect(await folders()).toEqual(["packages"]);
  });

  test.each([
    ["one without modules", ["./sources/empty"], "empty is no package with modules of this server"],
    ["one that is not there", ["./sources/nope"], "npm failed with code"],
    ["a good one beside a bad one", ["./sources/greet", "./sources/empty"], "empty is no package"],
  ])("%s is refused, and the packages stay as they were", async (_, specs, why) => {
    const before = existsSync(packages()) ? await readFile(join(packages(), "package.json"), "utf8") : "";
    const refused = await run("add-package", ...specs);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)]);
    const after = existsSync(packages()) ? await readFile(join(packages(), "package.json"), "utf8") : "";
    expect(after).toBe(before);
    expect(existsSync(`${packages()}.new`)).toBe(false);
  });

  test("a package is added once, and only an added one is removed", async () => {
    expect((await run("add-package", "./sources/greet")).code).toBe(0);
    const again = await run("add-package", "greet@1");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("already added: greet@1")]);
    const path = await run("add-package", "./sources/greet");
    expect([path.code, path.stderr]).toEqual([1, expect.stringContaining("is installed already")]);
    const unknown = await run("remove-package", "nope");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("not added: nope")]);
    expect((await run("add-package")).stderr).toContain("name a package");
    // A command that was killed between its renames leaves the backup alone, which counts.
    await rename(packages(), `${packages()}.bak`);
    expect(await own()).toBe("http.handlers.greet 1.1.0 greet");
    expect(await folders()).toEqual(["packages.bak"]); // a list changes nothing

    // A package that is damaged later is reported, and does not affect the others.
    await writePackage("second", "1.0.0", moduleText("two").replace("handlers.greet", "handlers.second"));
    expect((await run("add-package", "./sources/second")).code).toBe(0);
    await writeFile(join(packages(), "node_modules", "greet", "main.js"), "throw new Error('damaged');");
    const listed = await run("list-modules", "--skip-standard");
    expect([listed.stdout.split("\n")[0], listed.stderr]).toEqual([
      "http.handlers.second",
      expect.stringContaining("package greet cannot be loaded"),
    ]);
    expect((await run("remove-package", "second")).code).toBe(0);
    expect((await run("remove-package", "greet")).code).toBe(0);
  });
});
