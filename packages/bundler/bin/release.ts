#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { makeExecutable } from "../src/make-executable.ts";
import { makeNpmPackage } from "../src/make-npm-package.ts";
import { readProgram } from "../src/program.ts";
import { checksums } from "../src/release/checksums.ts";
import { makeCharts } from "../src/release/make-charts.ts";
import { containerEngine, makeImages } from "../src/release/make-images.ts";
import { nodeLicence } from "../src/release/node-licence.ts";
import { packFolder } from "../src/release/pack-folder.ts";
import { imageArchitectures, programs, releaseFiles } from "../src/release/release-files.ts";

const help = `Makes what is published of a version: of each built process an npm package and one executable file for this platform (that of
tracing-storage with its engine beside it), the Helm charts, images, and checksums. Ends with 1, and says what is missing, when
something could not be made: images need podman or docker, and an emulator for another processor than this one.

Usage: node packages/bundler/bin/release.ts [options] [process …]

  --out <folder>             where they go (default dist)
  --no-executables           no executables
  --no-charts                no Helm charts
  --images <architectures>   images for these, with commas, or "none" (default ${imageArchitectures.join(",")}; none when processes are named)
  --base-image <name>        what they are made of; {arch} in it becomes the architecture
  --image-registry <name>    where the charts find images: ghcr.io/owner/repository
  --repository <url>         source of the npm packages, which a provenance needs: https://github.com/owner/repository
  --npm-scope <name>         scope of the npm packages: @owner
  --help                     print this text

Processes: ${Object.keys(programs).join(", ")} (all when none is named). \`npm run release\` builds them first.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    out: { type: "string", default: "dist" },
    executables: { type: "boolean", default: true },
    charts: { type: "boolean", default: true },
    images: { type: "string" },
    "base-image": { type: "string" },
    "image-registry": { type: "string" },
    repository: { type: "string" },
    "npm-scope": { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const unknown = positionals.filter((name) => programs[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`no process is called ${unknown.join(", ")}\n\n${help}`);
  process.exit(1);
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
const out = resolve(values.out);
const isWhole = positionals.length === 0;
const images = values.images ?? (isWhole ? imageArchitectures.join(",") : "none");
const architectures = images === "none" ? [] : images.split(",");
const made: string[] = [];
function tell(file: string): void {
  made.push(file);
  console.log(file);
}

/** Files that the licence requires in every copy; `npm run sbom` makes the list of licences. */
const notices = ["LICENSE", "NOTICE"].map((name) => join(root, name));
const thirdParty = join(out, "THIRD_PARTY.md");
if (existsSync(thirdParty)) {
  notices.push(thirdParty);
}

mkdirSync(join(out, "npm"), { recursive: true });
for (const [packageName, name] of Object.entries(programs)) {
  if (!isWhole && !positionals.includes(packageName)) {
    continue;
  }
  const packageFolder = new URL(`../../${packageName}/`, import.meta.url);
  const program = readProgram(packageFolder);
  const { repository, "npm-scope": scope } = values;
  makePackage({ packageFolder, name, program, notices, repository, scope });
  if (values.executables) {
    makeArchive({ packageFolder, name, program }, packageName === "tracing-storage");
  }
}

function makePackage(options: Omit<Parameters<typeof makeNpmPackage>[0], "output">): void {
  const folder = mkdtempSync(join(out, "npm", ".package-"));
  try {
    makeNpmPackage({ ...options, output: folder });
    const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", join(out, "npm")], {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    if (packed.status !== 0) {
      throw new Error(`npm pack of ${options.name}: ${packed.stderr || packed.error?.message}`);
    }
    tell(join(out, "npm", packed.stdout.trim()));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes a folder with the executable, its side files and the licences, and an archive of the folder. */
function makeArchive(
  options: Omit<Parameters<typeof makeExecutable>[0], "output">,
  hasEngine: boolean,
): void {
  const extension = process.platform === "win32" ? ".exe" : "";
  const folder = join(out, "executables", `${options.name}-${version}-${process.platform}-${process.arch}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const output = join(folder, `${options.name}${extension}`);
  makeExecutable({ ...options, output });
  chmodSync(output, 0o755);
  if (hasEngine && !existsSync(join(folder, "node_modules"))) {
    throw new Error(`the engine of ${options.name} is not beside it`);
  }
  for (const notice of notices) {
    cpSync(notice, join(folder, basename(notice)));
  }
  cpSync(nodeLicence(), join(folder, "LICENSE.node"));
  console.log(output);
  packFolder(join(out, "executables"), [basename(folder)], `${folder}.tar.gz`);
  tell(`${folder}.tar.gz`);
}

if (values.charts && isWhole) {
  const charts = join(root, "deploy", "helm");
  const output = join(out, "charts");
  const imageRegistry = values["image-registry"];
  for (const file of makeCharts({ charts, output, version, imageRegistry })) {
    tell(file);
  }
}

const failed: string[] = [];
if (architectures.length > 0) {
  const engine = containerEngine();
  if (engine === undefined) {
    failed.push("images: neither podman nor docker is installed");
  } else {
    const result = makeImages(engine, {
      ...{ root, version, tell, architectures, output: join(out, "images") },
      baseImage: (architecture) => values["base-image"]?.replaceAll("{arch}", architecture),
    });
    failed.push(...result.failed);
  }
}

// `npm run sbom` made these before.
const wanted = releaseFiles({
  ...{ version, architectures, platform: `${process.platform}-${process.arch}`, scope: values["npm-scope"] },
  charts: readdirSync(join(root, "deploy", "helm")),
}).map((name) => join(out, name));
for (const file of wanted.filter((name) => /\.(?:json|md)$/.test(name))) {
  if (existsSync(file)) {
    made.push(file);
  }
}
if (isWhole && values.charts && values.executables) {
  failed.push(...wanted.filter((file) => !made.includes(file)).map((file) => relative(out, file)));
  failed.push(
    ...made
      .filter((file) => !wanted.includes(file))
      .map((file) => `${relative(out, file)} is no part of a release`),
  );
}
writeFileSync(join(out, "SHA256SUMS"), await checksums(out, made));
console.log(join(out, "SHA256SUMS"));
for (const line of failed) {
  console.error(`not made: ${line}`);
}
process.exitCode = failed.length === 0 ? 0 : 1;
