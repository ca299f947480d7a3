import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("publish-packages.mjs", import.meta.url));

interface Published {
  "dist-tags": Record<string, string>;
  versions: Record<string, unknown>;
}

/** A registry that keeps what is published, as far as npm asks it. */
let registry: Server;
let packages: Map<string, Published>;
let isBroken = false;
let folder: string;

beforeEach(async () => {
  packages = new Map();
  isBroken = false;
  folder = mkdtempSync(join(tmpdir(), "publish-packages-"));
  registry = createServer(async (request, response) => {
    const name = decodeURIComponent((request.url ?? "").split("?")[0]?.slice(1) ?? "");
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    if (isBroken) {
      return response.writeHead(503).end("{}");
    }
    const known = packages.get(name);
    if (request.method !== "PUT") {
      return known === undefined
        ? response.writeHead(404, { "Content-Type": "application/json" }).end('{"error":"Not found"}')
        : response
            .writeHead(200, { "Content-Type": "application/json" })
            .end(JSON.stringify({ name, ...known }));
    }
    const sent = JSON.parse(Buffer.concat(chunks).toString()) as Published;
    if (Object.keys(sent.versions).some((version) => known?.versions[version] !== undefined)) {
      return response.writeHead(403).end("{}");
    }
    packages.set(name, {
      "dist-tags": { ...known?.["dist-tags"], ...sent["dist-tags"] },
      versions: { ...known?.versions, ...sent.versions },
    });
    response.writeHead(201, { "Content-Type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(registry, "listening");
  const { port } = registry.address() as AddressInfo;
  writeFileSync(
    join(folder, ".npmrc"),
    `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=token\nfetch-retries=0\nupdate-notifier=false\n`,
  );
});
afterEach(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(folder, { recursive: true });
});

function pack(name: string, version: string, readme = "text"): string {
  const content = join(folder, "content");
  mkdirSync(join(content, "package"), { recursive: true });
  writeFileSync(join(content, "package", "package.json"), JSON.stringify({ name, version }));
  writeFileSync(join(content, "package", "README.md"), readme);
  const file = join(folder, `${name.replace("/", "-")}-${version}.tgz`);
  expect(
    spawnSync("tar", ["--create", "--gzip", "--file", file, "--directory", content, "package"]).status,
  ).toBe(0);
  return file;
}

/** Runs it beside this process, which is the registry. */
async function publish(...files: readonly string[]) {
  const child = spawn(process.execPath, [script, "--access=public", ...files], {
    cwd: folder,
    env: {
      ...process.env,
      npm_config_userconfig: join(folder, ".npmrc"),
      npm_config_cache: join(folder, "cache"),
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, "close");
  return { code, output };
}

test("what is published already is passed over, another content of it is told, and the rest is published", async () => {
  const first = pack("@owner/one", "1.0.0");
  expect(await publish(first)).toEqual({ code: 0, output: "@owner/one@1.0.0 is published\n" });
  const again = await publish(first, pack("two", "1.0.0"));
  expect(again).toEqual({
    code: 0,
    output: "@owner/one@1.0.0 is published already\ntwo@1.0.0 is published\n",
  });
  expect(packages.get("two")?.["dist-tags"]).toEqual({ latest: "1.0.0" });
  const { code, output } = await publish(pack("two", "1.0.0", "other"));
  expect([code, output]).toEqual([0, expect.stringMatching(/already, with other content/)]);
});

test("a version before its release is not the latest", async () => {
  expect((await publish(pack("one", "1.1.0-rc.1"))).output).toBe("one@1.1.0-rc.1 is published\n");
  expect(packages.get("one")?.["dist-tags"]).toEqual({ next: "1.1.0-rc.1" });
});

test("a registry that fails does not look like one that lacks the package", async () => {
  isBroken = true;
  const { code, output } = await publish(pack("one", "1.0.0"));
  expect(code).toBe(1);
  expect(output).toMatch(/the registry does not tell/);
});
