import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NpmRegistry } from "../testing/npm-registry.ts";
import { packModule } from "../testing/pack-module.ts";
import { ServerProcess } from "../testing/server-process.ts";

// Each command starts npm.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const hasNpm = spawnSync("npm", ["--version"], { shell: process.platform === "win32" }).status === 0;
const packagesFolder = new URL("../../../", import.meta.url);

let folder: string;
let registry: NpmRegistry;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-registry-"));
  registry = await NpmRegistry.start();
});
afterEach(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

async function publish(name: string, version: string): Promise<void> {
  const at = join(folder, "sources", name, version);
  await mkdir(at, { recursive: true });
  const text = `import { defineModule, z } from "server-module-api";
export default defineModule({
  id: "http.handlers.${name.replace(/\W/g, "_")}",
  config: z.strictObject({}),
  provision: () => ({ handle: (exchange) => exchange.respond(200, "${version}") }),
});`;
  await writeFile(
    join(at, "package.json"),
    JSON.stringify({ name, version, type: "module", exports: "./main.js" }),
  );
  await writeFile(join(at, "main.js"), text);
  await registry.publish(at);
}

const environment = () => ({
  XDG_CONFIG_HOME: folder,
  SERVER_ADMIN: "127.0.0.1:0",
  npm_config_registry: registry.url,
  npm_config_cache: join(folder, "npm-cache"),
  npm_config_fetch_retries: "0",
});

async function run(...args: string[]) {
  const command = new ServerProcess(args, environment(), folder);
  command.child.stdin?.end();
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

const installed = () => join(folder, "data", "server", "packages");
const lockfile = async () =>
  JSON.parse(await readFile(join(installed(), "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly version?: string }>>;
  };
const own = async () =>
  (await run("list-modules", "--skip-standard", "--packages", "--versions")).stdout
    .split("\n")
    .filter((line) => line.includes("."));

describe.skipIf(!hasNpm)("packages of a registry (needs npm)", () => {
  test("versions, scopes, integrity, and an upgrade within a range", async () => {
    for (const version of ["1.0.0", "1.4.0", "2.0.0"]) {
      await publish("greet", version);
    }
    await publish("@me/hello", "0.3.0");
    expect(await run("add-package", "greet@^1.0.0", "@me/hello")).toMatchObject({ code: 0, stderr: "" });
    expect(await own()).toEqual([
      "http.handlers._me_hello 0.3.0 @me/hello",
      "http.handlers.greet 1.4.0 greet",
    ]);
    const { packages } = await lockfile();
    expect(packages["node_modules/greet"]).toMatchObject({
      version: "1.4.0",
      integrity: expect.stringMatching(/^sha512-/),
    });

    await publish("greet", "1.5.0");
    await publish("greet", "2.1.0");
    await publish("@me/hello", "0.4.0");
    // The range that was asked for counts; a package without one gets the latest version.
    expect(await run("upgrade")).toMatchObject({ code: 0, stdout: "@me/hello 0.4.0\ngreet 1.5.0\n" });
    expect((await run("remove-package", "greet")).code).toBe(0);
    expect((await run("add-package", "greet@2.0.0")).stdout).toContain("greet 2.0.0: http.handlers.greet");
    // An exact version is a wish for the beginning, not for ever.
    expect((await run("upgrade")).stdout).toBe("@me/hello 0.4.0\ngreet 2.1.0\n");
  });

  test("a registry that is away, or a changed archive, changes nothing", async () => {
    await publish("greet", "1.0.0");
    expect((await run("add-package", "greet")).code).toBe(0);
    const before = await lockfile();
    await publish("second", "1.0.0");
    registry.tampered.add("second");
    const tampered = await run("add-package", "second");
    expect(tampered).toMatchObject({ code: 1, stderr: expect.stringMatching(/EINTEGRITY|integrity/) });
    expect(await run("add-package", "no-such-package")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("404"),
    });
    registry.tampered.clear();
    await registry.close();
    const away = await run("upgrade");
    expect(away).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/npm failed with code[\s\S]*ECONNREFUSED/),
    });
    expect(await lockfile()).toEqual(before);
    expect(existsSync(`${installed()}.new`)).toBe(false);
    expect(await own()).toEqual(["http.handlers.greet 1.0.0 greet"]);
    registry = await NpmRegistry.start();
  });

  test("modules of the tree, packed and installed, take the place of those that come with the server", async () => {
    const names = ["module-crowdsec", "module-geolocation", "module-signatures"];
    for (const name of names) {
      const at = join(folder, "packed", name);
      const others = await packModule(new URL(`${name}/`, packagesFolder), at, "9.9.9");
      for (const other of others) {
        await registry.publish(other);
      }
      await registry.publish(at);
    }
    const added = await run("add-package", ...names);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toContain(
      "module-crowdsec 9.9.9: crowdsec, http.handlers.crowdsec, http.handlers.appsec, layer4.matchers.crowdsec",
    );
    expect(await own()).toEqual([
      "crowdsec 9.9.9 module-crowdsec",
      "http.handlers.appsec 9.9.9 module-crowdsec",
      "http.handlers.crowdsec 9.9.9 module-crowdsec",
      "http.handlers.hmac 9.9.9 module-signatures",
      "http.handlers.signed_url 9.9.9 module-signatures",
      "http.matchers.maxmind_geolocation 9.9.9 module-geolocation",
      "http.matchers.signed_url 9.9.9 module-signatures",
      "layer4.matchers.crowdsec 9.9.9 module-crowdsec",
    ]);
    const text = `{
	default_bind 127.0.0.1
	modules ${names.join(" ")}
	crowdsec {
		api_url http://127.0.0.1:1
		api_key none
	}
}
http://127.0.0.1:0 {
	crowdsec
	hmac sha1 secret
	respond {hmac.signature}
}
`;
    await writeFile(join(folder, "Serverfile"), text);
    const server = new ServerProcess(
      ["run", "--workers", "1", "--config", "Serverfile"],
      environment(),
      folder,
    );
    try {
      expect((await ask(await server.site())).text).toBe("25af6174a0fcecc4d346680a72b7ce644b9a88e8");
    } finally {
      server.child.kill("SIGTERM");
      await server.exit;
    }
  });
});
