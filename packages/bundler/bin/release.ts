#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { makeExecutable } from "../src/make-executable.ts";
import { makeNpmPackage } from "../src/make-npm-package.ts";
import { readProgram } from "../src/program.ts";
import { checksums } from "../src/release/checksums.ts";
import { makeCharts } from "../src/release/make-charts.ts";
import { containerEngine, makeImages } from "../src/release/make-images.ts";
import { packFolder } from "../src/release/pack-folder.ts";

/** Packages of the processes to the names of their programs. */
const programs: Readonly<Record<string, string>> = {
  "admin-server": "server",
  "tracing-agent": "tracing-agent",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

const help = `Makes what is published of a version: of each built process an npm package and one executable file for this platform (that of
tracing-storage with its engine beside it), the Helm charts, images where podman or docker is, and checksums.

Usage: node packages/bundler/bin/release.ts [options] [process …]

  --out <folder>             where they go (default dist)
  --no-executables           no executables
  --no-charts                no Helm charts
  --images <architectures>   images for these, with commas (default none): amd64,arm64
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
    images: { type: "string", default: "" },
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
  if (positionals.length > 0 && !positionals.includes(packageName)) {
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

/** A folder with the executable, what belongs beside it and the licences; and an archive of it. */
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
  console.log(output);
  packFolder(join(out, "executables"), [basename(folder)], `${folder}.tar.gz`);
  tell(`${folder}.tar.gz`);
}

if (values.charts && positionals.length === 0) {
  const charts = join(root, "deploy", "helm");
  const output = join(out, "charts");
  const imageRegistry = values["image-registry"];
  for (const file of makeCharts({ charts, output, version, imageRegistry })) {
    tell(file);
  }
}

const failed: string[] = [];
if (values.images !== "") {
  const engine = containerEngine();
  if (engine === undefined) {
    failed.push("images: neither podman nor docker is installed");
  } else {
    const images = makeImages(engine, {
      ...{ root, version, tell, output: join(out, "images") },
      architectures: values.images.split(","),
      baseImage: (architecture) => values["base-image"]?.replaceAll("{arch}", architecture),
    });
    failed.push(...images.failed);
  }
}

for (const name of ["sbom.cdx.json", "THIRD_PARTY.md"]) {
  if (existsSync(join(out, name))) {
    made.push(join(out, name));
  }
}
writeFileSync(join(out, "SHA256SUMS"), await checksums(out, made));
console.log(join(out, "SHA256SUMS"));
for (const line of failed) {
  console.error(`not made: ${line}`);
}
process.exitCode = failed.length === 0 ? 0 : 1;
