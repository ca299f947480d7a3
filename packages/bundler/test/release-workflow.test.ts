// The release workflow publishes exactly the files that `npm run release` makes. This test runs the workflow's
// commands on empty files,
// with fake programs in place of the programs that publish.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { imageArchitectures, imageNames, programs, releaseFiles } from "../src/release/release-files.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const steps = z.array(
  z.object({
    name: z.string().optional(),
    uses: z.string().optional(),
    run: z.string().optional(),
    with: z.record(z.string(), z.unknown()).default({}),
  }),
);
const job = z.object({ steps, needs: z.union([z.string(), z.array(z.string())]).optional() });
const { jobs } = z
  .object({
    jobs: z.object({
      files: job.extend({
        strategy: z.object({ matrix: z.object({ include: z.array(z.object({ name: z.string() })) }) }),
      }),
      publish: job,
      images: job.extend({ strategy: z.object({ matrix: z.object({ target: z.array(z.string()) }) }) }),
    }),
  })
  .parse(parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8")));

const version = "1.2.3";
const charts = readdirSync(join(root, "deploy", "helm"));
const scope = "@owner";
const platforms = jobs.files.strategy.matrix.include.map(({ name }) => name);
const filesOf = (platform: string) => releaseFiles({ version, platform, charts, scope, architectures: [] });
const commandsOf = (name: string) => jobs.publish.steps.find((step) => step.name === name)?.run ?? "";

/** Shell code with which the fake npm and gh report that the version is not published yet. */
const fails: Readonly<Record<string, string>> = {
  npm: '[ "$1" != view ] || { echo E404 >&2; exit 1; }\n',
  gh: '[ "$2" != view ]\n',
};

/** Writes a package archive that npm can read. */
function pack(path: string): void {
  const content = mkdtempSync(join(folder, "content-"));
  mkdirSync(join(content, "package"));
  writeFileSync(join(content, "package", "package.json"), JSON.stringify({ name: basename(path), version }));
  execFileSync("tar", ["--create", "--gzip", "--file", path, "--directory", content, "package"]);
  rmSync(content, { recursive: true });
}

/** The folder of the job `publish`, with the files of the jobs of each platform. */
let folder: string;
let tools: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "release-workflow-"));
  tools = join(folder, "tools");
  symlinkSync(join(root, "scripts"), join(folder, "scripts"));
  symlinkSync(join(root, "CHANGELOG.md"), join(folder, "CHANGELOG.md"));
  mkdirSync(tools);
  for (const name of ["cosign", "npm", "helm", "gh"]) {
    const tool = join(tools, name);
    writeFileSync(tool, `#!/bin/sh\necho "${name} $*" >> "${folder}/called"\n${fails[name] ?? ""}`);
    chmodSync(tool, 0o755);
  }
  for (const platform of platforms) {
    for (const file of filesOf(platform)) {
      const path = join(folder, "artifacts", `release-${platform}`, file);
      mkdirSync(dirname(path), { recursive: true });
      if (file.startsWith("npm/")) {
        pack(path);
      } else {
        writeFileSync(path, `${platform} ${file}`);
      }
    }
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a step of the job `publish`. @returns the calls of programs that publish */
function run(name: string, tag = `v${version}`): string[] {
  writeFileSync(join(folder, "called"), "");
  execFileSync("bash", ["-eo", "pipefail", "-c", commandsOf(name)], {
    cwd: folder,
    env: {
      PATH: `${tools}:${process.env.PATH}`,
      GITHUB_REPOSITORY: "Owner/Repository",
      GITHUB_ACTOR: "owner",
      GITHUB_REF_NAME: tag,
      TOKEN: "token",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return readFileSync(join(folder, "called"), "utf8").trim().split("\n");
}

test("the job of a platform takes along each file that the release makes there", () => {
  const [upload] = jobs.files.steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
  const patterns = z.string().parse(upload?.with.path).trim().split("\n");
  const files = filesOf("linux-x64").map((file) => `dist/${file}`);
  expect(files.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern)))).toEqual([]);
  expect(patterns.filter((pattern) => !files.some((file) => matchesGlob(file, pattern)))).toEqual([]);
});

test("the files of a version are those of every platform, with checksums and a signature of these", () => {
  const calls = run("One folder of files, with checksums");
  const found = readdirSync(join(folder, "files"));
  const wanted = platforms.flatMap((platform) =>
    filesOf(platform).map((file) => (file.startsWith("charts/") ? "chart-" : "") + basename(file)),
  );
  expect(found.toSorted()).toEqual([...new Set([...wanted, "SHA256SUMS"])].toSorted());
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: join(folder, "files") });
  const listed = readFileSync(join(folder, "files", "SHA256SUMS"), "utf8")
    .trim()
    .split("\n");
  expect(listed.length).toBe(found.length - 1);
  expect(calls).toEqual(["cosign sign-blob --yes --bundle files/SHA256SUMS.sigstore.json files/SHA256SUMS"]);
});

test("each npm package and each chart is published", () => {
  const packages = Object.keys(programs).map((name) => `owner-${name}-${version}.tgz`);
  expect(
    run("npm packages")
      .filter((call) => call.startsWith("npm publish --provenance --access=public "))
      .map((call) => basename(call))
      .toSorted(),
  ).toEqual(packages.toSorted());
  const pushes = run("Helm charts").filter((call) => call.startsWith("helm push"));
  expect(pushes).toEqual(
    charts
      .toSorted()
      .map(
        (name) =>
          `helm push artifacts/release-linux-x64/charts/${name}-${version}.tgz oci://ghcr.io/owner/repository/charts`,
      ),
  );
});

test("a tag before its release is not shown as the latest", () => {
  const created = (tag: string) =>
    run("GitHub release", tag).filter((call) => call.startsWith("gh release create"));
  expect(created(`v${version}-rc.1`)).toEqual([expect.stringContaining("--prerelease")]);
  expect(created(`v${version}`)).toEqual([expect.not.stringContaining("--prerelease")]);
});

test("images are those of the release, for its processors", () => {
  expect(jobs.images.strategy.matrix.target.toSorted()).toEqual([...imageNames].toSorted());
  const [build] = jobs.images.steps.filter(({ uses }) => uses?.startsWith("docker/build-push-action@"));
  expect(build?.with.platforms).toBe(imageArchitectures.map((each) => `linux/${each}`).join(","));
});
