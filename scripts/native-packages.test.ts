import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addMissingNatives, isFinal } from "./native-packages.mjs";
import { platformNamed } from "./platform.mjs";

let root = "";

function writePackage(folder: string, manifest: Record<string, unknown>): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), `module.exports = ${JSON.stringify(manifest.name)};`);
}

const parent = () => join(root, "node_modules/.pnpm/engine@1.0.0/node_modules/engine");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "natives-"));
  writeFileSync(
    join(root, "pnpm-lock.yaml"),
    "packages:\n  '@engine/linux-x64@1.2.3':\n    resolution: {}\n\n  engine@1.0.0:\n    resolution: {}\n",
  );
  writePackage(parent(), {
    name: "engine",
    version: "1.0.0",
    optionalDependencies: {
      "@engine/linux-x64": "1.2.3",
      "@engine/darwin-arm64": "1.2.3",
      fsevents: "2.0.0",
    },
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("what the lockfile does not name is fetched by its exact version, once, and found by its parent", () => {
  const fetched: string[] = [];
  const add = () =>
    addMissingNatives(platformNamed("darwin-arm64"), {
      root,
      fetch: (each: { name: string; version: string }, _platform: unknown, folder: string) => {
        fetched.push(`${each.name}@${each.version}`);
        writePackage(join(folder, "node_modules", each.name), each);
        return undefined;
      },
    });
  expect(add()).toEqual([]);
  expect(createRequire(join(parent(), "index.js"))("@engine/darwin-arm64")).toBe("@engine/darwin-arm64");
  expect(add()).toEqual([]);
  expect(fetched).toEqual(["@engine/darwin-arm64@1.2.3"]);
});

test("what cannot be had is named with its parent and the reason", () => {
  const failed = addMissingNatives(platformNamed("linux-x64-glibc"), {
    root,
    fetch: () => "the registry has no such version",
  });
  expect(failed).toMatchObject([
    {
      name: "@engine/linux-x64",
      version: "1.2.3",
      parent: "engine",
      reason: "the registry has no such version",
    },
  ]);
});

test("a package that an older lockfile left in the store asks for nothing", () => {
  const old = join(root, "node_modules/.pnpm/engine@0.9.0/node_modules/engine");
  const optionalDependencies = { "@engine/linux-x64": "0.9.0", "@engine/darwin-arm64": "0.9.0" };
  writePackage(old, { name: "engine", version: "0.9.0", optionalDependencies });
  const failed = addMissingNatives(platformNamed("linux-x64-glibc"), { root, fetch: () => "asked" });
  expect(failed.map(({ version }) => version)).toEqual(["1.2.3"]);
});

test("a platform for which there is no package asks for none", () => {
  const fetch = () => {
    throw new Error("asked");
  };
  expect(addMissingNatives(platformNamed("win32-x64"), { root, fetch })).toEqual([]);
});

test("a registry without a package is final, a network that failed is tried again", () => {
  const failed = (reason: string) =>
    addMissingNatives(platformNamed("darwin-arm64"), { root, fetch: () => reason });
  expect(isFinal(failed("the registry has no such version"))).toBe(true);
  expect(isFinal(failed("npm: ECONNRESET"))).toBe(false);
  expect(isFinal([])).toBe(true);
});
